import type { Backend, Download } from '../backend/backend';
import { Jobs } from '../jobs/jobs.svelte';

const over = (job: Download) => job.state === 'done' || job.state === 'cancelled' || job.state === 'failed';

/** The jobs that bring models here. */
export class Downloads extends Jobs<Download> {
  readonly running = $derived(this.all.find(({ state }) => state === 'running') ?? null);
  readonly #over: (jobs: Download[]) => void;

  /** `over` is called with those that are over and were not before. */
  constructor(backend: Backend, over: (jobs: Download[]) => void) {
    super(backend);
    this.#over = over;
  }

  /** The job that brings this commit, if one is not over. */
  coming(repo: string, commit: string): Download | null {
    return this.all.find((job) => job.repo === repo && job.commit === commit && !over(job)) ?? null;
  }

  pause = (id: number) => this.ask(id, (backend) => backend.pauseDownload(id));
  resume = (id: number) => this.ask(id, (backend) => backend.resumeDownload(id));
  cancel = (id: number) => this.ask(id, (backend) => backend.cancelDownload(id));
  forget = (id: number) => this.drop(id, (backend) => backend.forgetDownload(id));
  /** Shows its repo's page in the browser. */
  openPage = ({ id, repo }: Download) => this.ask(id, (backend) => backend.openPage(repo));

  protected follow(onList: (all: Download[]) => void): Promise<void> {
    return this.backend.watchDownloads(onList);
  }

  /** Or has stopped by itself. */
  protected isOver(job: Download): boolean {
    return over(job) || job.reason !== null;
  }

  protected override end(jobs: Download[]): void {
    super.end(jobs);
    const ended = jobs.filter(over);
    if (ended.length > 0) this.#over(ended);
  }
}
