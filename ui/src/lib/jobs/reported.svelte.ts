import { SvelteMap } from 'svelte/reactivity';
import { type Backend, sentence } from '../backend/backend';
import { type Job, Jobs } from './jobs.svelte';

/** Work that measures, one at a time, and ends with a report that can be saved in one way or another. */
export abstract class ReportedJobs<J extends Job, Report extends object, What> extends Jobs<J> {
  /** The one whose report is open. */
  shown = $state<number | null>(null);
  /** Where something of one was written last, in a sentence, by its id. */
  readonly written = new SvelteMap<number, string>();
  /** What came of those that somebody has looked at, by id; or why that cannot be told. */
  readonly reports = new SvelteMap<number, Report | string>();
  readonly running = $derived(this.all.find(({ state }) => state === 'running') ?? null);

  /** Opens the report of one and closes the others, or closes it. */
  show(id: number, open: boolean): void {
    if (open) this.shown = id;
    else if (this.shown === id) this.shown = null;
  }

  /** Reads what came of one. It may have gone on since it was read last. */
  async look(id: number): Promise<void> {
    if (typeof this.reports.get(id) === 'string') this.reports.delete(id);
    this.reports.set(id, await this.report(id).catch(sentence));
  }

  async save(id: number, what: What): Promise<void> {
    await this.ask(id, async () => {
      const file = await this.exported(id, what);
      if (file !== null) this.written.set(id, `Saved as ${file}.`);
    });
  }

  protected abstract report(id: number): Promise<Report>;

  /** The file that it was saved as; null when that was dismissed. */
  protected abstract exported(id: number, what: What): Promise<string | null>;

  protected isOver({ state }: J): boolean {
    return state === 'done' || state === 'failed';
  }

  protected override begin(all: J[]): void {
    super.begin(all);
    this.shown = all.find(({ state }) => state === 'done')?.id ?? null;
  }

  protected override end(jobs: J[]): void {
    super.end(jobs);
    this.shown = jobs.find(({ state }) => state === 'done')?.id ?? this.shown;
  }

  protected override ask(id: number, work: (backend: Backend) => Promise<J | void>): Promise<boolean> {
    this.written.delete(id);
    return super.ask(id, work);
  }

  protected override async drop(id: number, work: (backend: Backend) => Promise<void>): Promise<void> {
    await super.drop(id, work);
    if (!this.all.some((job) => job.id === id)) this.reports.delete(id);
  }
}
