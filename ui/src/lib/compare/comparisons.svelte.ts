import { SvelteMap } from 'svelte/reactivity';
import { type Backend, sentence } from '../backend/backend';
import type { Comparison, ComparisonExport, ComparisonReport, Race } from '../backend/comparing';
import { Jobs } from '../jobs/jobs.svelte';

/** The comparisons of this machine, the latest first. */
export class Comparisons extends Jobs<Comparison> {
  /** The one whose report is open. */
  shown = $state<number | null>(null);
  /** What the columns of the one that runs have written. */
  race = $state.raw<Race | null>(null);
  /** Where a comparison was saved last, in a sentence, by its id. */
  readonly saved = new SvelteMap<number, string>();
  /** What came of the comparisons that somebody has looked at, by id; or why that cannot be told. */
  readonly reports = new SvelteMap<number, ComparisonReport | string>();
  readonly running = $derived(this.all.find(({ state }) => state === 'running') ?? null);

  /** Opens the report of a comparison and closes the others, or closes it. */
  show(id: number, open: boolean): void {
    if (open) this.shown = id;
    else if (this.shown === id) this.shown = null;
  }

  load = () => this.reload((backend) => backend.comparisons());
  pause = (id: number) => this.ask(id, (backend) => backend.pauseComparison(id));
  resume = (id: number) => this.ask(id, (backend) => backend.resumeComparison(id));
  remove = (id: number) => this.drop(id, (backend) => backend.removeComparison(id));

  /** Reads what came of one. It may have gone on since it was read last. */
  async look(id: number): Promise<void> {
    this.reports.set(id, await this.backend.comparisonReport(id).catch(sentence));
  }

  async save(id: number, what: ComparisonExport): Promise<void> {
    await this.ask(id, async (backend) => {
      const file = await backend.exportComparison(id, what);
      if (file !== null) this.saved.set(id, `Saved as ${file}.`);
    });
  }

  protected async follow(onList: (all: Comparison[]) => void): Promise<void> {
    await this.backend.watchComparisons(onList);
    await this.backend.watchRace((race) => (this.race = race));
  }

  protected isOver({ state }: Comparison): boolean {
    return state === 'done' || state === 'failed';
  }

  protected override begin(all: Comparison[]): void {
    super.begin(all);
    this.shown = all.find(({ state }) => state === 'done')?.id ?? null;
  }

  protected override end(comparisons: Comparison[]): void {
    super.end(comparisons);
    this.shown = comparisons.find(({ state }) => state === 'done')?.id ?? this.shown;
  }

  protected override async ask(id: number, work: (backend: Backend) => Promise<Comparison | void>): Promise<boolean> {
    this.saved.delete(id);
    return super.ask(id, work);
  }
}
