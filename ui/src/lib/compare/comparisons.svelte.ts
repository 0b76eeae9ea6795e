import type { Comparison, ComparisonExport, ComparisonReport, Race } from '../backend/comparing';
import { ReportedJobs } from '../jobs/reported.svelte';

/** The comparisons of this machine, the latest first. */
export class Comparisons extends ReportedJobs<Comparison, ComparisonReport, ComparisonExport> {
  /** What the columns of the one that runs have written. */
  race = $state.raw<Race | null>(null);

  load = () => this.reload((backend) => backend.comparisons());
  pause = (id: number) => this.ask(id, (backend) => backend.pauseComparison(id));
  resume = (id: number) => this.ask(id, (backend) => backend.resumeComparison(id));
  remove = (id: number) => this.drop(id, (backend) => backend.removeComparison(id));

  protected report(id: number): Promise<ComparisonReport> {
    return this.backend.comparisonReport(id);
  }

  protected exported(id: number, what: ComparisonExport): Promise<string | null> {
    return this.backend.exportComparison(id, what);
  }

  protected async follow(onList: (all: Comparison[]) => void): Promise<void> {
    await this.backend.watchComparisons(onList);
    await this.backend.watchRace((race) => (this.race = race && grown(this.race, race)));
  }
}

/** A race with what its columns had written before the news of it. */
function grown(before: Race | null, news: Race): Race {
  const lanes = news.lanes.map((lane, at) => (lane.anew ? lane : { ...lane, text: (before?.lanes[at]?.text ?? '') + lane.text }));
  return { ...news, lanes };
}
