import { render, screen, within } from '@testing-library/svelte';
import { describe, expect, test } from 'vitest';
import { message, outcome, statsOf } from '../scripted/samples';
import type { Outcome } from '../src/lib/backend/backend';
import AnswerChart from '../src/lib/chart/AnswerChart.svelte';
import { type Decoder, plainOf } from '../src/lib/chart/baseline';
import { Line } from '../src/lib/chart/line';
import { nothingYet, readingOf, Tally } from '../src/lib/chart/reading';
import { bars, ceiling } from '../src/lib/chart/shapes';
import { bytes, decimal, moment, percent } from '../src/lib/format';
import { round } from './window';

const rounds = [round('a', 3, 3), round('b', 3, 1), round('c', 2, 0), round('d', 0, 0)];

function tallied() {
  const tally = new Tally();
  for (const each of rounds) tally.add(each);
  return tally.reading();
}

/** What stands in a table, row by row. */
function cells(name: string) {
  const table = within(screen.getByRole('table', { name, hidden: true }));
  return table.getAllByRole('row', { hidden: true }).map((row) => [...row.children].map((cell) => cell.textContent));
}

function stretches(rounds: number[], most: number) {
  const line = new Line(most);
  for (const tokens of rounds) line.add(tokens);
  return line.stretches();
}

describe('acceptance by position', () => {
  test('divides by the rounds that proposed a token there', () => {
    expect(bars(tallied())).toEqual([
      { position: 1, proposed: 3, accepted: 2, rate: 2 / 3 },
      { position: 2, proposed: 3, accepted: 1, rate: 1 / 3 },
      { position: 3, proposed: 2, accepted: 1, rate: 1 / 2 },
    ]);
  });

  test('has no rate where nothing was proposed', () => {
    const reading = { ...nothingYet, proposedAt: [0], acceptedAt: [0] };
    expect(bars(reading)).toEqual([{ position: 1, proposed: 0, accepted: 0, rate: null }]);
  });
});

describe('tokens per round', () => {
  test('include the bonus token', () => {
    expect(tallied().tokensPerRound).toBe(8 / 4);
  });

  test('keep every round and its running mean while they fit', () => {
    expect(stretches([4, 2, 1, 1], 10)).toEqual({
      most: 4,
      roundsPerPoint: 1,
      points: [
        { round: 1, mean: 4, running: 4 },
        { round: 2, mean: 2, running: 3 },
        { round: 3, mean: 1, running: 7 / 3 },
        { round: 4, mean: 1, running: 2 },
      ],
    });
  });

  test('become means of equal stretches, the last one shorter, when they do not', () => {
    const { points: all, roundsPerPoint } = stretches([4, 2, 1, 1, 5], 3);
    expect(roundsPerPoint).toBe(2);
    expect(all.map(({ round, mean }) => [round, mean])).toEqual([[2, 3], [4, 1], [5, 5]]);
    expect(all.at(-1)?.running).toBe(13 / 5);
  });

  test('fit under the highest round', () => {
    expect(ceiling([])).toBe(2);
    expect(ceiling([1, 6, 3])).toBe(6);
  });
});

describe('the chart', () => {
  test('shows dashes, never NaN, before the first round', () => {
    const { container } = render(AnswerChart, { reading: nothingYet });
    expect(screen.getByTestId('tau')).toHaveTextContent('–');
    expect(screen.getByTestId('speed')).toHaveTextContent('–');
    expect(screen.getByTestId('acceptance')).toHaveAttribute('data-rounds', '0');
    expect(screen.queryAllByTestId('bar')).toHaveLength(0);
    expect(container.innerHTML).not.toMatch(/NaN|Infinity|null|undefined/);
  });

  test('says the same in a table', () => {
    render(AnswerChart, { reading: tallied() });
    expect(screen.getAllByTestId('bar')).toHaveLength(3);
    expect(cells('Acceptance by position')[1]).toEqual(['1', '3', '2', '67%']);
    expect(cells('Tokens per round, the bonus token included').at(-1)).toEqual(['4', '1.00', '2.00']);
    expect(screen.getByRole('img', { name: /Running mean 2.00/ })).toBeInTheDocument();
  });

  test('draws plain decoding without a bar and without NaN', () => {
    const { container } = render(AnswerChart, { reading: readingOf(statsOf([round('a', 0, 0)]), stretches([1], 9)) });
    expect(screen.getByText('nothing was proposed')).toBeInTheDocument();
    expect(container.innerHTML).not.toMatch(/NaN|Infinity/);
  });

  test('says so when only the totals were kept', () => {
    render(AnswerChart, { reading: readingOf(statsOf(rounds), null) });
    expect(screen.getByText(/^8 tokens in 4 rounds\./)).toBeInTheDocument();
  });
});

describe('the plain decoding that an answer is read against', () => {
  const said = (id: number, part: Partial<Outcome>) => message({ id, author: 'assistant', text: 'Hi.', outcome: outcome(rounds, part) });
  const step = (plainStepSeconds: number) => ({ stats: { ...statsOf(rounds), plainStepSeconds } });
  const decoder: Decoder = { target: 'target-270m', precision: said(1, {}).outcome!.controls.precision };
  const all = [said(1, step(0.1)), said(2, { target: 'other', ...step(0.01) }), said(3, step(0.05)), said(4, {})];

  test('is its own, else that of the session, else that of the nearest answer by the same target', () => {
    expect(plainOf(all[0]!, decoder, 4, all)).toEqual({ speed: 10, source: expect.stringMatching(/^measured in this answer/) });
    expect(plainOf(all[3]!, decoder, 4, all)).toEqual({ speed: 4, source: expect.stringMatching(/^of the answers of this session/) });
    expect(plainOf(all[3]!, decoder, null, all)).toEqual({ speed: 20, source: expect.stringMatching(/^measured in another answer/) });
    expect(plainOf(said(0, {}), decoder, null, all)?.speed).toBe(10);
    expect(plainOf(said(0, {}), { ...decoder, target: 'no other' }, null, all)).toBeNull();
    expect(plainOf(said(0, {}), { ...decoder, precision: 'float32' }, null, all)).toBeNull();
  });
});

describe('the speed', () => {
  const ceiling = { tokensPerSecond: 40, bytesPerSecond: 20_000_000_000, bytesPerToken: 500_000_000 };

  test('stands beside plain decoding and what memory bandwidth allows it', () => {
    render(AnswerChart, { reading: tallied(), plain: 10, ceiling });
    expect(cells('Speed of decoding')).toEqual([
      ['Speed', 'Tokens/s'],
      ['This answer', '20.0'],
      ['Plain decoding', '10.0'],
      ['Bandwidth ceiling of plain decoding', '40.0'],
    ]);
    expect(screen.getByTestId('plain')).toHaveTextContent('2.00 × plain (10.0 tokens/s)');
    const shown = screen.getByTestId('bandwidth-ceiling');
    expect(shown).toHaveTextContent('Bandwidth ceiling: 40.0 tokens/s');
    expect(shown).toHaveTextContent(/read 20 GB of memory a second, and plain decoding reads at least 500 MB for each token/);
    expect(screen.getByTestId('speeds').querySelectorAll('line.ceiling')).toHaveLength(4);
  });

  test('has no ceiling where none is known', () => {
    render(AnswerChart, { reading: tallied(), plain: 10 });
    expect(screen.queryByText(/Bandwidth ceiling/)).toBeNull();
  });

  test('has no ceiling that plain decoding has passed', () => {
    render(AnswerChart, { reading: tallied(), plain: 41, ceiling });
    expect(screen.queryByText(/Bandwidth ceiling/)).toBeNull();
  });

  test('is not marked with its ceiling before it is known', () => {
    render(AnswerChart, { reading: nothingYet, plain: 10, ceiling });
    expect(screen.getByTestId('bandwidth-ceiling')).toBeInTheDocument();
    expect(screen.getByTestId('speeds').querySelector('line.ceiling')).toBeNull();
  });

  test('is not hidden by a ceiling that is far from it', () => {
    render(AnswerChart, { reading: tallied(), plain: 10, ceiling: { ...ceiling, tokensPerSecond: 81 } });
    expect(screen.getByTestId('bandwidth-ceiling')).toHaveTextContent(/^Bandwidth ceiling: 81.0 tokens\/s, beyond this chart /);
    const [drafted, plainly] = screen.getByTestId('speeds').querySelectorAll('rect');
    expect(Number(drafted!.getAttribute('width'))).toBeCloseTo(2 * Number(plainly!.getAttribute('width')));
    expect(screen.getByTestId('speeds').querySelector('line.ceiling')).toBeNull();
  });

  test('of a plain answer is its own baseline', () => {
    render(AnswerChart, { reading: readingOf(statsOf([round('a', 0, 0)]), null), plain: 10, ceiling });
    expect(cells('Speed of decoding').map(([name]) => name)).toEqual(['Speed', 'This answer', 'Bandwidth ceiling of plain decoding']);
  });
});

test('what is not known is a dash', () => {
  for (const value of [null, undefined, NaN, Infinity]) {
    expect([decimal(value, 1), percent(value), bytes(value)]).toEqual(['–', '–', '–']);
  }
  expect([bytes(0), bytes(999), bytes(1_240_000_000), bytes(536_223_056)]).toEqual(['0 bytes', '999 bytes', '1.2 GB', '536 MB']);
});

test('a moment is as precise as it is near', () => {
  const now = new Date(2026, 4, 14, 12, 0).getTime();
  expect(moment(new Date(2026, 4, 14, 9, 5).getTime(), now)).toBe('9:05 AM');
  expect(moment(new Date(2026, 4, 12, 9, 5).getTime(), now)).toBe('Tue');
  expect(moment(new Date(2026, 2, 3, 9, 5).getTime(), now)).toBe('Mar 3');
});
