import { render, screen, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { describe, expect, test } from 'vitest';
import { calibration } from '../scripted/calibration';
import { reliability, report } from '../scripted/report';
import type { CalibrationCost, CalibrationPosition, MeasuredMode } from '../src/lib/backend/backend';
import CostCharts from '../src/lib/calibrate/CostCharts.svelte';
import MeasuredTable from '../src/lib/calibrate/MeasuredTable.svelte';
import PositionTable from '../src/lib/calibrate/PositionTable.svelte';
import ReliabilityCharts from '../src/lib/calibrate/ReliabilityCharts.svelte';
import { fullestOf, lines, marks, spaced, timed } from '../src/lib/calibrate/shapes';
import { change, spread, thresholdOf } from '../src/lib/calibrate/words';
import { range } from '../src/lib/chart/shapes';
import { backendWithModels, openCalibrate } from './window';

const judged = (survival: number, stood: number, of: number) => Array.from({ length: of }, (_, index) => ({ survival, stood: index < stood }));
const raw = reliability([...judged(0.9, 6, 10), ...judged(0.2, 1, 5)]);
const scaled = reliability([...judged(0.62, 6, 10), ...judged(0.2, 1, 5)]);
const first: CalibrationPosition = { position: 1, samples: 400, reached: 380, heldOut: 15, thin: false, temperature: 1.8, threshold: 0, raw, calibrated: scaled };
const none = reliability([]);
const last: CalibrationPosition = { position: 2, samples: 120, reached: 12, heldOut: 0, thin: true, temperature: 1, threshold: 1, raw: none, calibrated: none };
const positions = [first, last];

const interval = (value: number, half: number | null) => ({ value, low: half === null ? null : value - half, high: half === null ? null : value + half });
const way = (mode: MeasuredMode['mode'], times: number, half: number | null): MeasuredMode => {
  return { mode, prompts: half === null ? 2 : 8, tokensPerSecond: interval(40 * times, half && 40 * half), timesPlain: interval(times, half), tau: 2.5, simulated: null };
};
const together = [way({ mode: 'plain' }, 1, 0), way({ mode: 'fixed', gamma: 2 }, 1.4, 0.1), way({ mode: 'auto' }, 1.5, 0.2)];
const code = [way({ mode: 'plain' }, 1, null), way({ mode: 'fixed', gamma: 2 }, 1.7, null), way({ mode: 'auto' }, 0.9, null)];
const recommendation = { mode: { mode: 'auto' as const }, sentence: 'Leave it to auto.' };
const cost: CalibrationCost[] = [
  { context: 0, draftS: [[2, 0.004], [1, 0.003]], verifyS: [[3, 0.024], [1, 0.02]] },
  { context: 1024, draftS: [], verifyS: [[1, 0.026]] },
];
const cells = (table: HTMLElement) => within(table).getAllByRole('row', { hidden: true }).slice(1).map((row) => [...row.children].map((cell) => cell.textContent?.trim()));

describe('the arithmetic', () => {
  test('a bin that holds nothing has no bar, and the longest bar is that of the fullest bin', () => {
    expect(fullestOf(raw, scaled)).toBe(10);
    expect(marks(raw, 10).map(({ stood, count, share }) => [stood, count, share])).toEqual([[0.2, 5, 0.5], [0.6, 10, 1]]);
    expect([fullestOf(none), marks(none, 1)]).toEqual([1, []]);
  });

  test('plain decoding and every interval lie in the range', () => {
    const { least, most } = range(together.map(({ timesPlain }) => timesPlain));
    expect(least).toBeLessThan(1);
    expect(most).toBeGreaterThan(1.7);
    expect(range([]).least).toBeLessThan(range([]).most);
  });

  test('costs are in order, and a context that was not timed has no line', () => {
    expect(lines(cost, 'draftS')).toEqual([{ context: 0, points: [[1, 0.003], [2, 0.004]] }]);
    expect(lines(cost, 'verifyS')).toHaveLength(2);
    expect(timed(cost)).toEqual([1, 2, 3]);
  });

  test('labels keep their distance and their order', () => {
    expect(spaced([50, 51, 20], 10, 60)).toEqual([41, 51, 20]);
    expect(spaced([70], 10, 60)).toEqual([60]);
    expect(spaced([], 10, 60)).toEqual([]);
  });

  test('what is not known is a dash or nothing', () => {
    expect(change(null, 0.5, 2)).toBe('– → 0.50');
    expect(spread(interval(1, null), 2)).toBe('');
    expect(spread(interval(1, 0.1), 2)).toBe('0.90 to 1.10');
  });

  test('the ends of a threshold are said in words', () => {
    expect([first, last].map(thresholdOf)).toEqual(['always kept', 'keeps none']);
    expect([0, 0.456].map((threshold) => thresholdOf({ ...last, threshold }))).toEqual(['keeps all', '0.46']);
  });
});

test('each position has its diagram, with raw and calibrated, which says its numbers to who cannot see it', () => {
  const { container } = render(ReliabilityCharts, { report: { ...report(2), positions, error: { raw: 0.2, calibrated: 0.2 / 15 } } });
  expect(screen.getAllByTestId('reliability')).toHaveLength(2);
  expect(screen.getAllByTestId('raw-bar')).toHaveLength(2);
  expect(screen.getAllByTestId('calibrated-bar')).toHaveLength(2);
  const says = 'Reliability at position 1. Calibration error 0.200 raw, 0.013 calibrated, of 15 held-out rounds.';
  expect(screen.getByRole('img', { name: says })).toBeInTheDocument();
  expect(screen.getByRole('img', { name: 'Reliability at position 2. No held-out round proposed it.' })).toBeInTheDocument();
  expect(screen.getByText('thin: 12 reached')).toBeInTheDocument();
  expect(screen.getByText(/^Calibration error \(ECE\) 0\.200 → 0\.013, mean of all positions by rounds/)).toBeInTheDocument();
  expect(container.innerHTML).not.toMatch(/NaN|Infinity/);
});

test('a bar lies where confidence and outcome meet, and is as wide as it has rounds', () => {
  render(ReliabilityCharts, { report: { ...report(2), positions: [first] } });
  const bars = screen.getAllByTestId('raw-bar').map((group) => group.querySelector('.bar')!);
  const wide = (bar: Element) => Number(bar.getAttribute('x2')) - Number(bar.getAttribute('x1'));
  expect(wide(bars[0]!) / wide(bars[1]!)).toBeCloseTo(0.5);
  expect(Number(bars[1]!.getAttribute('y1'))).toBeLessThan(Number(bars[0]!.getAttribute('y1')));
});

test('the diagrams are there as a table too', () => {
  render(ReliabilityCharts, { report: { ...report(2), positions, error: { raw: 0.2, calibrated: 0.2 / 15 } } });
  expect(cells(screen.getByRole('table', { hidden: true }))).toEqual([
    ['1', '20% to 25%', '5', '20%', '20%', '5', '20%', '20%'],
    ['1', '60% to 65%', '0', '', '', '10', '62%', '60%'],
    ['1', '90% to 95%', '10', '90%', '60%', '0', '', ''],
  ]);
});

test('what was fitted is a table, and a thin position says so', () => {
  render(PositionTable, { positions });
  const [one, two] = cells(screen.getByRole('table'));
  expect(one).toEqual(['1', '380 of 400', '1.80', 'always kept', '0.200 → 0.013', change(raw.auroc, scaled.auroc, 2), change(raw.brier, scaled.brier, 3), '15']);
  expect(two).toEqual(['2', 'thin, 12 of 120', 'unchanged', 'keeps none', '– → –', '– → –', '– → –', '0']);
});

test('ways of drafting are compared together and by suite, and the recommended one is marked', async () => {
  render(MeasuredTable, { report: { together, suites: [{ title: 'Code', modes: code }], recommendation } });
  const table = screen.getByRole('table', { name: /Together, 8 prompts$/ });
  expect(cells(table).map((row) => row.filter((_, column) => column !== 5))).toEqual([
    ['Plain', '40.0', '', '1.00', '', '2.50', '–'],
    ['γ 2', '56.0', '52.0 to 60.0', '1.40', '1.30 to 1.50', '2.50', '–'],
    ['Auto\u00a0recommended', '60.0', '52.0 to 68.0', '1.50', '1.30 to 1.70', '2.50', '–'],
  ]);
  await userEvent.setup().click(screen.getByRole('radio', { name: 'Code' }));
  expect(cells(screen.getByRole('table', { name: /Code, 2 prompts$/ }))[1]!.slice(0, 5)).toEqual(['γ 2', '68.0', '', '1.70', '']);
});

test('with one suite there is nothing to choose', () => {
  render(MeasuredTable, { report: { together, suites: [], recommendation } });
  expect(screen.queryByRole('radiogroup')).not.toBeInTheDocument();
});

test('costs are drawn by context, said, and there as a table', () => {
  const { container } = render(CostCharts, { cost });
  const [verifying, drafting] = screen.getAllByTestId('cost-chart');
  expect(verifying).toHaveAttribute('data-lines', '2');
  expect(drafting).toHaveAttribute('data-lines', '1');
  expect(screen.getByRole('img', { name: /^Drafting, by tokens, ms\. From 0 tokens of context: 3\.0 ms for 1, 4\.0 ms for 2$/ })).toBeInTheDocument();
  expect(cells(screen.getByRole('table', { hidden: true }))).toEqual([
    ['1', '20 ms', '', '26 ms', ''],
    ['2', '–', '3.0 ms', '–', '–'],
    ['3', '24 ms', '4.0 ms', '–', '–'],
  ]);
  expect(container.innerHTML).not.toMatch(/NaN|Infinity/);
});

test('a report without anything in it says so', () => {
  const { container } = render(CostCharts, { cost: [] });
  render(PositionTable, { positions: [] });
  render(MeasuredTable, { report: { together: [], suites: [], recommendation } });
  expect(screen.getAllByText('nothing was timed')).toHaveLength(2);
  expect(screen.getByText('The drafter proposed nothing.')).toBeInTheDocument();
  expect(screen.getByText('Nothing was measured.')).toBeInTheDocument();
  expect(container.innerHTML).not.toMatch(/NaN|Infinity/);
});

test('the report of the latest that is done is open, one at a time, and a failed one is asked for again', async () => {
  const backend = backendWithModels();
  const done = calibration({ id: 2, state: 'done', recommendation });
  backend.calibrated = [done, { ...done, id: 1 }];
  backend.came.set(1, report(2));
  const user = await openCalibrate(backend);
  expect(await screen.findByRole('alert')).toHaveTextContent('This calibration is not done.');
  backend.came.set(2, report(3));
  await user.click(screen.getByRole('button', { name: 'Try again' }));
  expect(await screen.findByText(/^Fitted on 3,624 rounds of 48 prompts, judged on 1,208 rounds of 16 prompts that were held out: for all of these every way of drafting wrote the same tokens\.$/)).toBeInTheDocument();
  expect(screen.getAllByTestId('reliability')).toHaveLength(3);
  await user.click(screen.getAllByText('Report')[1]!);
  const [, other] = screen.getAllByTestId('calibration');
  expect(await within(other!).findAllByTestId('reliability')).toHaveLength(2);
  expect(screen.getAllByTestId('report')).toHaveLength(1);
});
