// The part of the scripted backend that is about comparisons, and what may come of them.
import type { Backend } from '../src/lib/backend/backend';
import type {
  Comparison,
  ComparisonEstimate,
  ComparisonExport,
  ComparisonOrder,
  ComparisonReport,
  Lane,
  MeasuredColumn,
  Race,
  Workload,
} from '../src/lib/backend/comparing';
import { ScriptedCalibration } from './calibration';

export function comparison(part: Partial<Comparison> & Pick<Comparison, 'id' | 'state'>): Comparison {
  return {
    target: 't',
    contenders: [
      { drafter: 'd', mode: { mode: 'auto' } },
      { drafter: 'lookup', mode: { mode: 'fixed', gamma: 4 } },
    ],
    temperature: 0,
    seed: 0,
    data: '16 prompts: Chat, Code',
    done: 0,
    of: 48,
    secondsLeft: null,
    failure: null,
    verdict: null,
    createdAt: new Date(2026, 4, 3, 9, 5).getTime(),
    ...part,
  };
}

export function lane(part: Partial<Lane>): Lane {
  return { stage: 'waiting', anew: true, text: '', tokens: 0, rounds: 0, seconds: 0, ...part };
}

/** What columns write one behind the other: each step, with the answers that are done by then. */
export function* race(id: number, columns: number, question: string): Generator<{ done: number; race: Race }> {
  const words = river.repeat(3).split(/(?<= )/);
  const lanes = Array.from({ length: columns }, () => lane({}));
  for (let at = 0; at < columns; at += 1) {
    lanes[at] = lane({ stage: 'warmingUp' });
    for (let wait = 0; wait < 8; wait += 1) yield { done: at, race: { comparison: id, prompt: 1, question, lanes } };
    const tau = at === 0 ? 1 : 2;
    for (let tokens = tau; tokens <= words.length; tokens += tau) {
      const stage = tokens + tau > words.length ? 'done' : 'writing';
      lanes[at] = lane({ stage, text: words.slice(0, tokens).join(''), tokens, rounds: tokens / tau, seconds: (tokens / tau) * 0.032 });
      yield { done: at, race: { comparison: id, prompt: 1, question, lanes } };
    }
  }
}

const river =
  'Rivers bend because the water on the outside of a curve runs faster and carries the bank away, while on the inside it slows and lets its sand fall. ';

export const identical = 'Identical: every column wrote the same tokens as plain decoding, for all of 16 prompts.';

function measured(column: number, times: number, spread: number, tau: number, acceptance: number[]): MeasuredColumn {
  const interval = (value: number, by: number) => ({ value, low: value - by, high: value + by });
  return {
    column,
    prompts: 8,
    tokensPerSecond: interval(31.2 * times, 31.2 * spread),
    timesPlain: interval(times, column === 0 ? 0 : spread),
    tau,
    parked: column === 2 ? 0.4 : 0,
    acceptance,
    memory: 1_230_000_000 + column * 110_000_000,
  };
}

/** As of 8 prompts of each of two suites: in chat the drafter wins, in code nobody surely. */
export function compared(): ComparisonReport {
  const plain = measured(0, 1, 0.2, 1, []);
  const chat = [plain, measured(1, 1.62, 0.08, 2.61, [0.82, 0.61, 0.44, 0.29, 0.18]), measured(2, 0.97, 0.06, 1.21, [0.18, 0.09, 0.04, 0.01])];
  const code = [plain, measured(1, 1.71, 0.22, 2.8, [0.85, 0.66, 0.5, 0.36, 0.25]), measured(2, 1.55, 0.25, 2.7, [0.6, 0.52, 0.48, 0.45])];
  const workload = (title: string, columns: MeasuredColumn[], winner: number | null, sentence: string): Workload => ({ title, columns, winner, sentence });
  const answers = [0, 1, 2].map((column) => ({ column, text: river.repeat(3), tokens: 96, tokensPerSecond: [31.2, 50.6, 30.3][column]!, tau: [1, 2.6, 1.2][column]!, differs: false }));
  return {
    verdict: identical,
    workloads: [
      workload('All prompts', chat, 1, 'dspark-270m is the fastest: 1.62 × plain (1.54 to 1.70).'),
      workload('Chat', chat, 1, 'dspark-270m is the fastest: 1.62 × plain (1.54 to 1.70).'),
      workload('Code', code, null, 'No clear winner, as the intervals overlap: the best drafter is dspark-270m at 1.71 × plain (1.49 to 1.93).'),
    ],
    prompts: ['Why do rivers bend?', 'Write a haiku about rust.'].map((asked) => ({ suite: 'Chat', text: asked, answers })),
    conditions: ['Machine: Apple M4 Pro macos aarch64 12', 'Slipstream 0.1.0', 'Target: t, 3f0c…', 'Drafter: d, 9ab1…', 'Drafter: lookup, γ 4, no files'],
  };
}

export class ScriptedComparison extends ScriptedCalibration {
  comparisonOrders: ComparisonOrder[] = [];
  comparisonsWeighed: ComparisonOrder[] = [];
  races: Comparison[] = [];
  /** What came of those that are done, by id. */
  outcomes = new Map<number, ComparisonReport>();
  comparisonsSaved: ComparisonExport[] = [];
  #listeners: ((comparisons: Comparison[]) => void)[] = [];
  #watchers: ((race: Race | null) => void)[] = [];

  comparisonChoices = async () => this.answer('comparisonChoices', { suites: this.choices.suites, prompts: 8, tokens: 128 });

  async estimateComparison(order: ComparisonOrder): Promise<ComparisonEstimate> {
    this.comparisonsWeighed.push(order);
    const suites = this.choices.suites.filter(({ id }) => order.suites.includes(id));
    const asked = order.prompt === null ? suites.map(({ prompts }) => Math.min(prompts, order.prompts)) : [1];
    const prompts = asked.reduce((sum, each) => sum + each, 0);
    const answers = prompts * (order.contenders.length + 1);
    return this.answer('estimateComparison', { prompts, answers, seconds: this.plainStep === null ? null : this.plainStep * answers * order.tokens });
  }

  async startComparison(order: ComparisonOrder): Promise<number> {
    this.answer('startComparison', null);
    this.comparisonOrders.push(order);
    const id = 1 + Math.max(0, ...this.races.map((each) => each.id));
    const { target, contenders, temperature, seed } = order;
    const data = order.prompt === null ? '8 prompts: Chat' : `“${order.prompt}”`;
    this.compare([comparison({ id, state: 'waiting', target, contenders, temperature, seed, data, of: contenders.length + 1, createdAt: Date.now() }), ...this.races]);
    return id;
  }

  comparisons = async () => this.answer('comparisons', this.races);

  async watchComparisons(onList: (comparisons: Comparison[]) => void): Promise<void> {
    onList(this.answer('watchComparisons', this.races));
    this.#listeners.push(onList);
  }

  async watchRace(onRace: (race: Race | null) => void): Promise<void> {
    onRace(null);
    this.#watchers.push(onRace);
  }

  /** Lets the comparisons stand like this from now on. */
  compare(comparisons: Comparison[]): void {
    this.races = comparisons;
    for (const listener of this.#listeners) listener(structuredClone(comparisons));
  }

  /** Lets the columns have written this. */
  write(race: Race | null): void {
    for (const watcher of this.#watchers) watcher(structuredClone(race));
  }

  async comparisonReport(id: number): Promise<ComparisonReport> {
    this.answer('comparisonReport', null);
    const report = this.outcomes.get(id);
    if (!report) throw new Error(`There is no comparison ${id}.`);
    return structuredClone(report);
  }

  pauseComparison = async (id: number) => this.#change('pauseComparison', id, { state: 'paused', secondsLeft: null });
  resumeComparison = async (id: number) => this.#change('resumeComparison', id, { state: 'waiting', failure: null });

  async removeComparison(id: number): Promise<void> {
    this.answer('removeComparison', null);
    this.compare(this.races.filter((each) => each.id !== id));
  }

  async exportComparison(_: number, what: ComparisonExport): Promise<string | null> {
    this.comparisonsSaved.push(what);
    return this.answer('exportComparison', this.savedAs);
  }

  async #change(command: keyof Backend, id: number, part: Partial<Comparison>): Promise<Comparison> {
    this.answer(command, null);
    this.compare(this.races.map((each) => (each.id === id ? { ...each, ...part } : each)));
    return structuredClone(this.races.find((each) => each.id === id)!);
  }
}
