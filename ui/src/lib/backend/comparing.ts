// The part of the door that is about comparisons.
import type {
  Comparison,
  ComparisonChoices,
  ComparisonEstimate,
  ComparisonExport,
  ComparisonOrder,
  ComparisonReport,
  Race,
} from '../bindings';

export type {
  ComparedAnswer,
  ComparedPrompt,
  Comparison,
  ComparisonChoices,
  ComparisonEstimate,
  ComparisonExport,
  ComparisonOrder,
  ComparisonReport,
  Contender,
  Lane,
  MeasuredColumn,
  Race,
  Workload,
} from '../bindings';

export interface Comparing {
  comparisonChoices(): Promise<ComparisonChoices>;
  /** What an order would take; an order that cannot be met is refused with the reason. */
  estimateComparison(order: ComparisonOrder): Promise<ComparisonEstimate>;
  /** The id of the comparison that begins, or waits for what is measured at the moment. */
  startComparison(order: ComparisonOrder): Promise<number>;
  /** All comparisons, the latest first. */
  comparisons(): Promise<Comparison[]>;
  /** Hears of all comparisons, now and whenever one has changed. */
  watchComparisons(onList: (comparisons: Comparison[]) => void): Promise<void>;
  /** Hears what the columns of the comparison that runs have written, and then what they write; null where none runs. */
  watchRace(onRace: (race: Race | null) => void): Promise<void>;
  /** What came of a comparison, as far as it is. */
  comparisonReport(id: number): Promise<ComparisonReport>;
  pauseComparison(id: number): Promise<Comparison>;
  resumeComparison(id: number): Promise<Comparison>;
  /** Takes it off the list, with what was measured for it. */
  removeComparison(id: number): Promise<void>;
  /** Opens the system's dialog for a file to save; the file, or null when it was dismissed. */
  exportComparison(id: number, what: ComparisonExport): Promise<string | null>;
}
