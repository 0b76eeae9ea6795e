import { render, screen, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';
import { learned, training } from '../scripted/training';
import type { Training } from '../src/lib/backend/backend';
import { course, roundCeiling, upTo } from '../src/lib/chart/shapes';
import TrainingCharts from '../src/lib/chart/TrainingCharts.svelte';
import { backendWithModels, openTrain } from './window';

const tau: Training['tau'] = [[0, 1.2, true], [200, 2.85, true], [400, 2.6, false]];
const loss: Training['loss'] = [[1, 8.1], [200, 3], [400, 2.4]];
const measured = training({ id: 1, state: 'training', step: 400, steps: 2000, tau, loss, startTau: 1.2, bestTau: 2.85 });

test('the best τ is the last that none before exceeded, and the first is the start', () => {
  const { all, start, best } = course(tau);
  expect(all).toHaveLength(3);
  expect(start).toEqual({ step: 0, value: 1.2 });
  expect(best).toEqual({ step: 200, value: 2.85 });
  expect(course([])).toEqual({ all: [], start: null, best: null });
});

test('an axis ends at a round number that the line fits under', () => {
  expect([8.1, 5, 2.4, 0.7, 11, 0].map((most) => roundCeiling([0, most]))).toEqual([10, 5, 5, 1, 20, 1]);
  expect(roundCeiling([])).toBe(1);
});

test('a number is looked up as of a step', () => {
  const all = [{ step: 10, value: 3 }, { step: 20, value: 2 }];
  expect([5, 10, 19, 50].map((step) => upTo(all, step)?.value)).toEqual([undefined, 3, 3, 2]);
});

test('the charts say their numbers to who cannot see them', () => {
  render(TrainingCharts, { training: measured });
  expect(screen.getByTestId('tau-chart')).toHaveAttribute('data-points', '3');
  expect(screen.getByTestId('loss-chart')).toHaveAttribute('data-points', '3');
  expect(screen.getByRole('img', { name: 'Held-out τ by step, bonus included. 1.20 at step 0, best 2.85 at step 200.' })).toBeInTheDocument();
  expect(screen.getByRole('img', { name: 'Loss by step, lower is better. 8.10 at step 1, 2.40 at step 400.' })).toBeInTheDocument();
  expect(screen.getByText('start 1.20')).toBeInTheDocument();
  expect(screen.getByText('best 2.85', { selector: 'span' })).toBeInTheDocument();
});

test('the line leaves room for the steps to come, and a better τ is higher', () => {
  render(TrainingCharts, { training: measured });
  const points = [...screen.getByTestId('tau-chart').querySelectorAll('circle')];
  const at = (name: string) => points.map((point) => Number(point.getAttribute(name)));
  const [left, , last] = at('cx') as [number, number, number];
  expect((last - left) / (256 - left)).toBeCloseTo(400 / 2000);
  const [start, best, after] = at('cy') as [number, number, number];
  expect(best).toBeLessThan(after);
  expect(after).toBeLessThan(start);
});

test('the numbers are there as a table too', async () => {
  render(TrainingCharts, { training: measured });
  await userEvent.setup().click(screen.getByText('As a table'));
  const rows = screen.getAllByRole('row').slice(1).map((row) => [...row.children].map((cell) => cell.textContent));
  expect(rows).toEqual([['0', '1.20', '–'], ['200', 'best 2.85', '3.00'], ['400', '2.60', '2.40']]);
});

test('before anything is measured the charts say so', () => {
  render(TrainingCharts, { training: training({ id: 1, state: 'training' }) });
  expect(screen.getAllByText('nothing measured yet')).toHaveLength(2);
  expect(screen.getByText('τ was not measured yet.')).toBeInTheDocument();
});

test('the charts of the training that runs are open, grow with it, and stay open when it is done', async () => {
  const backend = backendWithModels();
  const other = training({ id: 1, state: 'done', name: 'other', ...learned(2000) });
  const running = training({ id: 2, state: 'training', ...learned(340) });
  backend.course = [training({ id: 3, state: 'waiting', name: 'next' }), running, other];
  await openTrain(backend);
  const rows = await screen.findAllByTestId('training');
  expect(within(rows[1]!).getByTestId('tau-chart')).toHaveAttribute('data-points', '2');
  expect(within(rows[2]!).queryByTestId('tau-chart')).not.toBeInTheDocument();
  backend.go([{ ...running, ...learned(2000), state: 'done' }, other]);
  expect(await screen.findByText('τ 1.20 → 2.75 on held-out answers, bonus included')).toBeInTheDocument();
  expect(screen.getByTestId('tau-chart')).toHaveAttribute('data-points', '11');
  expect(screen.getByTestId('loss-chart')).toHaveAttribute('data-points', '200');
});
