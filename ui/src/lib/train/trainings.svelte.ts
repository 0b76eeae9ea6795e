import type { Backend, Training } from '../backend/backend';
import { Jobs } from '../jobs/jobs.svelte';

/** The drafters that are trained here, the latest first. */
export class Trainings extends Jobs<Training> {
  /** The one whose target answers, or whose drafter learns. */
  readonly running = $derived(this.all.find(({ state }) => state === 'answering' || state === 'training') ?? null);
  readonly learning = $derived(this.running?.state === 'training' ? this.running : null);
  readonly #over: () => void;

  /** `over` is called when some are over that were not before: there may be a new drafter. */
  constructor(backend: Backend, over: () => void) {
    super(backend);
    this.#over = over;
  }

  load = () => this.reload((backend) => backend.trainings());
  pause = (id: number) => this.ask(id, (backend) => backend.pauseTraining(id));
  resume = (id: number) => this.ask(id, (backend) => backend.resumeTraining(id));
  /** Twice as long as it did: nothing shorter is promising. */
  longer = ({ id, steps }: Training) => this.ask(id, (backend) => backend.trainLonger(id, 2 * steps));
  stop = (id: number) => this.ask(id, (backend) => backend.stopTraining(id));
  remove = (id: number) => this.drop(id, (backend) => backend.removeTraining(id));

  protected follow(onList: (all: Training[]) => void): Promise<void> {
    return this.backend.watchTrainings(onList);
  }

  protected isOver({ state }: Training): boolean {
    return state === 'done' || state === 'stopped' || state === 'failed';
  }

  protected override end(trainings: Training[]): void {
    super.end(trainings);
    this.#over();
  }
}
