// A believable report: rounds of a drafter that is too sure of itself, made up once and the same every time, and judged as
// the backend judges real ones.
import type {
  CalibrationCost,
  CalibrationMode,
  CalibrationPosition,
  CalibrationReport,
  Interval,
  MeasuredMode,
  Reliability,
} from '../src/lib/backend/backend';

/** A round's survival at a position, and whether everything up to there stood. */
type Judged = { survival: number; stood: boolean };

const bins = 20;
const sigmoid = (z: number) => 1 / (1 + Math.exp(-z));
const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

function numbers(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 16807) % 2147483647) / 2147483647;
}

export function reliability(all: readonly Judged[]): Reliability {
  const at = ({ survival }: Judged) => Math.min(bins - 1, Math.floor(survival * bins));
  const full = Array.from({ length: bins }, (_, bin) => all.filter((each) => at(each) === bin));
  const judged = full.map((some) => ({
    count: some.length,
    predicted: some.length > 0 ? mean(some.map(({ survival }) => survival)) : 0,
    stood: some.length > 0 ? mean(some.map(({ stood }) => Number(stood))) : 0,
  }));
  if (all.length === 0) return { bins: judged, ece: null, auroc: null, brier: null };
  const ece = judged.reduce((sum, { count, predicted, stood }) => sum + (count / all.length) * Math.abs(predicted - stood), 0);
  const brier = mean(all.map(({ survival, stood }) => (survival - Number(stood)) ** 2));
  return { bins: judged, ece, auroc: auroc(all), brier };
}

function auroc(all: readonly Judged[]): number | null {
  const fell = all.filter(({ stood }) => !stood);
  const stood = all.filter((each) => each.stood);
  if (fell.length === 0 || stood.length === 0) return null;
  const better = (one: Judged) => fell.reduce((sum, { survival }) => sum + Number(one.survival > survival) + Number(one.survival === survival) / 2, 0);
  return stood.reduce((sum, one) => sum + better(one), 0) / (stood.length * fell.length);
}

/** Positions of a drafter whose logits are too large by these factors. */
function positions(temperatures: readonly number[], heldOut: number): CalibrationPosition[] {
  const random = numbers(11);
  const normal = () => Math.sqrt(-2 * Math.log(random())) * Math.cos(2 * Math.PI * random());
  const judged = temperatures.map(() => ({ raw: [] as Judged[], calibrated: [] as Judged[] }));
  for (let round = 0; round < heldOut; round += 1) {
    let [raw, calibrated, stood] = [1, 1, true];
    const ease = normal();
    temperatures.forEach((temperature, index) => {
      const truth = 1.1 - 0.12 * index + ease + 0.8 * normal();
      raw *= sigmoid(truth * temperature + 0.25);
      calibrated *= sigmoid(truth);
      stood &&= random() < sigmoid(truth);
      judged[index]!.raw.push({ survival: raw, stood });
      judged[index]!.calibrated.push({ survival: calibrated, stood });
    });
  }
  return temperatures.map((temperature, index) => {
    const { raw, calibrated } = judged[index]!;
    const samples = 3 * heldOut - 40 * index;
    const threshold = index === 0 ? 0 : Math.min(0.95, 0.38 + 0.06 * index);
    const judge = { raw: reliability(raw), calibrated: reliability(calibrated) };
    const reached = Math.round(samples * 0.72 ** index);
    return { position: index + 1, samples, reached, heldOut, thin: false, temperature, threshold, ...judge };
  });
}

/** One that too few rounds reached. */
function thin({ position }: CalibrationPosition): CalibrationPosition {
  const some = Array.from({ length: 14 }, (_, index) => ({ survival: 0.06 + 0.03 * index, stood: index % 5 === 4 }));
  const same = reliability(some);
  return { position, samples: 412, reached: 38, heldOut: some.length, thin: true, temperature: 1, threshold: 0, raw: same, calibrated: same };
}

const costs = (limit: number): CalibrationCost[] =>
  [0, 1024, 4096].map((context, bucket) => ({
    context,
    draftS: Array.from({ length: limit }, (_, index) => [index + 1, 0.0052 + 0.0009 * (index + 1) + 0.0004 * bucket]),
    verifyS: Array.from({ length: limit + 1 }, (_, index) => [index + 1, 0.0225 * (1 + 0.17 * bucket) + 0.0013 * index * (1 + 0.3 * bucket)]),
  }));

function measured(mode: CalibrationMode, prompts: number, times: number, tau: number, plain: number): MeasuredMode {
  const around = (value: number, share: number): Interval =>
    prompts < 3 ? { value, low: null, high: null } : { value, low: value * (1 - share), high: value * (1 + share) };
  const still = mode.mode === 'plain';
  const timesPlain = still ? { value: 1, low: 1, high: 1 } : around(times, 0.07);
  return { mode, prompts, tokensPerSecond: around(plain * times, 0.05), timesPlain, tau, simulated: still ? plain : plain * times * 1.03 };
}

/** Every way of drafting, for prompts that are so easy to draft for. */
function modes(limit: number, prompts: number, ease: number, plain: number): MeasuredMode[] {
  const fixed = Array.from({ length: limit }, (_, index) => index + 1).map((gamma) => {
    const tau = (1 - ease ** (gamma + 1)) / (1 - ease);
    return measured({ mode: 'fixed', gamma }, prompts, tau / (1.26 + 0.09 * gamma), tau, plain);
  });
  const best = Math.max(...fixed.map(({ timesPlain }) => timesPlain.value));
  const most = fixed.at(-1)!.tau!;
  const cut = measured({ mode: 'thresholds' }, prompts, best * 0.99, most * 0.9, plain);
  const auto = measured({ mode: 'auto' }, prompts, best * 1.02, most * 0.93, plain);
  return [measured({ mode: 'plain' }, prompts, 1, 1, plain), ...fixed, cut, auto];
}

/** The calibration error of all positions together, each for as many rounds as it was judged by. */
function errorOf(all: readonly CalibrationPosition[], of: 'raw' | 'calibrated'): number {
  const rounds = all.reduce((sum, { heldOut }) => sum + heldOut, 0);
  return all.reduce((sum, position) => sum + position.heldOut * (position[of].ece ?? 0), 0) / rounds;
}

/** What came of a calibration of a drafter that proposes up to `limit` tokens; the last of its positions is thin. */
export function report(limit: number): CalibrationReport {
  const temperatures = Array.from({ length: limit }, (_, index) => 2.1 - 0.13 * index);
  const all = positions(temperatures, 1208).map((at) => (at.position === limit ? thin(at) : at));
  const together = modes(limit, 16, 0.72, 42.3);
  const suites = [['Chat', 0.66], ['Code', 0.79], ['Maths', 0.74], ['Structured text', 0.81]] as const;
  const auto = together.at(-1)!.timesPlain;
  const [low, high] = [auto.low!.toFixed(2), auto.high!.toFixed(2)];
  return {
    prompts: 48,
    rounds: 3624,
    heldOutPrompts: 16,
    alike: 16,
    heldOutRounds: 1208,
    positions: all,
    error: { raw: errorOf(all, 'raw'), calibrated: errorOf(all, 'calibrated') },
    cost: costs(limit),
    together,
    suites: suites.map(([title, ease]) => ({ title, modes: modes(limit, 4, ease, 42.3) })),
    recommendation: { mode: { mode: 'auto' }, sentence: `Leave it to auto, the fastest: auto at ${auto.value.toFixed(2)} × plain (${low} to ${high}).` },
  };
}
