import { fireEvent, screen, waitFor, within } from '@testing-library/svelte';
import { describe, expect, test } from 'vitest';
import type { ScriptedBackend } from '../scripted/backend';
import { compared, comparison, identical, lane } from '../scripted/comparison';
import { model } from '../scripted/samples';
import type { Comparison } from '../src/lib/backend/comparing';
import { acceptance, choosing, columnsOf, news, progress, standing, taking, waysOf } from '../src/lib/compare/words';
import { backendWithModels, openCompare } from './window';

const title = 'dspark-270m · Lookup (no model), γ 4, May 3, 9:05 AM';
const mine = (verb: string) => ({ name: `${verb} ${title}` });
const running = comparison({ id: 1, state: 'running', done: 7, of: 48, secondsLeft: 290 });
const done = comparison({ id: 1, state: 'done', done: 48, verdict: identical });
const other = model({ id: 'o', role: 'drafter', folder: '/models/dflash-270m' });
const start = () => screen.getByTestId('start-comparison');
const obstacle = () => screen.getByTestId('obstacle');

function backendThatCompares(...comparisons: Comparison[]): ScriptedBackend {
  const backend = backendWithModels();
  backend.kept = { ...backend.kept, drafter: 'd' };
  backend.registered = [...backend.registered, other];
  backend.races = comparisons;
  for (const { id } of comparisons) backend.outcomes.set(id, compared());
  return backend;
}

describe('the words', () => {
  test('a column is called by its drafter, and by its way of drafting unless that is auto', () => {
    expect(columnsOf(done, (id) => id.toUpperCase())).toEqual(['Plain', 'D', 'LOOKUP, γ 4']);
    expect(waysOf({ limit: 2, confident: true })).toEqual([{ mode: 'auto' }, { mode: 'fixed', gamma: 1 }, { mode: 'fixed', gamma: 2 }, { mode: 'thresholds' }]);
    expect(waysOf(null)).toEqual([{ mode: 'auto' }]);
  });

  test('how one stands, what it takes, and what became of it', () => {
    expect(progress(running, false)).toEqual(['7 of 48 answers', 'about 5 min left']);
    expect(progress(comparison({ id: 2, state: 'waiting' }), true)).toEqual(['waits for the comparison before it']);
    expect(progress({ ...running, state: 'paused' }, false)).toEqual(['paused', '7 of 48 answers']);
    expect(taking({ prompts: 1, answers: 3, seconds: null })).toBe('1 prompt, 3 answers in all columns; how long is known once this target wrote something.');
    expect(news('dspark', done)).toBe(`The comparison of dspark is done. ${identical}`);
    expect(news('dspark', { ...done, state: 'failed', failure: 'The disk is full.' })).toBe('The comparison of dspark has failed: The disk is full.');
  });

  test('the seed is said where tokens are drawn by it', () => {
    expect(choosing(done)).toEqual(['temperature 0']);
    expect(choosing({ ...done, temperature: 0.7, seed: 7 })).toEqual(['temperature 0.7', 'seed 7']);
    expect(choosing({ ...done, temperature: null, seed: null })).toEqual([]);
  });

  test('a column says its speed once it writes, and positions where nothing was proposed say nothing', () => {
    expect(standing(lane({}))).toBe('waits for its turn');
    expect(standing(lane({ stage: 'warmingUp' }))).toBe('warming up, not timed');
    expect(standing(lane({ stage: 'writing', tokens: 48, rounds: 20, seconds: 1.5 }))).toBe('32.0 tokens/s · τ 2.40');
    expect([acceptance([0.714, 0.5, null]), acceptance([null])]).toEqual(['71 50', '–']);
  });
});

test('the chat’s drafter and the next one are compared on a prompt with one click', async () => {
  const backend = backendThatCompares();
  const user = await openCompare(backend);
  expect(await screen.findByText(/^Which drafter is the fastest here\?/)).toBeInTheDocument();
  await waitFor(() => expect(obstacle()).toHaveTextContent('Write a prompt, or choose suites.'));
  await user.type(screen.getByRole('textbox', { name: 'Prompt' }), 'Why do rivers bend?');
  await waitFor(() => expect(screen.getByTestId('estimate')).toHaveTextContent('1 prompt, 3 answers in all columns; about 8 s.'));
  await user.click(start());
  const auto = { mode: 'auto' };
  const contenders = [{ drafter: 'd', mode: auto }, { drafter: 'lookup', mode: auto }];
  const order = { target: 't', contenders, thinking: false, temperature: 0, seed: 0, prompt: 'Why do rivers bend?', suites: [], prompts: 8, tokens: 128 };
  await waitFor(() => expect(backend.comparisonOrders).toEqual([order]));
  await waitFor(() => expect(screen.getByTestId('comparison')).toHaveFocus());
});

test('everything about an order can be chosen', async () => {
  const backend = backendThatCompares();
  const user = await openCompare(backend);
  await user.click(await screen.findByRole('radio', { name: 'Suites' }));
  await user.click(screen.getByRole('checkbox', { name: /^Maths/ }));
  await user.click(screen.getByRole('button', { name: 'Add a drafter' }));
  expect(screen.getByRole('combobox', { name: 'Drafter 3' })).toHaveValue('o');
  await user.selectOptions(screen.getByRole('combobox', { name: 'How drafter 1 drafts' }), 'γ 3');
  await user.selectOptions(screen.getByRole('combobox', { name: 'Drafter 2' }), 'd');
  await user.click(screen.getByText('More'));
  // At temperature 0 nothing is drawn.
  expect(screen.queryByRole('spinbutton', { name: 'Seed' })).toBeNull();
  await fireEvent.change(screen.getByRole('spinbutton', { name: 'Temperature' }), { target: { value: '0.7' } });
  await fireEvent.change(await screen.findByRole('spinbutton', { name: 'Seed' }), { target: { value: '7' } });
  await fireEvent.change(screen.getByRole('spinbutton', { name: 'How many' }), { target: { value: '3' } });
  await user.click(screen.getByRole('checkbox', { name: 'Thinking' }));
  await user.click(start());
  const contenders = [
    { drafter: 'd', mode: { mode: 'fixed', gamma: 3 } },
    { drafter: 'd', mode: { mode: 'auto' } },
    { drafter: 'o', mode: { mode: 'auto' } },
  ];
  const order = { target: 't', contenders, thinking: true, temperature: 0.7, seed: 7, prompt: null, suites: ['chat', 'code'], prompts: 3, tokens: 128 };
  await waitFor(() => expect(backend.comparisonOrders).toEqual([order]));
});

test('what cannot start says why', async () => {
  const backend = backendThatCompares();
  const user = await openCompare(backend);
  await user.selectOptions(await screen.findByRole('combobox', { name: 'Drafter 2' }), 'd');
  await waitFor(() => expect(obstacle()).toHaveTextContent('Two rows are the same. Pick another drafter, or another way of drafting.'));
  expect(start()).toBeDisabled();
  await user.selectOptions(screen.getByRole('combobox', { name: 'Drafter 2' }), 'o');
  await user.click(screen.getByRole('button', { name: 'Add a drafter' }));
  expect(screen.getByRole('combobox', { name: 'Drafter 3' })).toHaveValue('lookup');
  await user.click(screen.getByRole('button', { name: 'Leave drafter 3 out' }));
  expect(screen.queryByRole('button', { name: /^Leave drafter/ })).not.toBeInTheDocument();
  backend.failing.set('estimateComparison', 'The drafter reads other layers than this target has.');
  await user.type(screen.getByRole('textbox', { name: 'Prompt' }), 'Why?');
  await waitFor(() => expect(obstacle()).toHaveTextContent('The drafter reads other layers than this target has.'));
  backend.registered = [];
  await fireEvent.focus(window);
  await waitFor(() => expect(obstacle()).toHaveTextContent('Add a target first: the model that answers.'));
});

test('a column stays at the end of what it writes, unless somebody reads further up', async () => {
  const backend = backendThatCompares(running);
  await openCompare(backend);
  await screen.findByTestId('comparison');
  const write = (text: string) => backend.write({ comparison: 1, prompt: 1, question: 'Why?', lanes: [lane({ stage: 'writing', text })] });
  write('Wa');
  const column = await screen.findByRole('group', { name: 'Text of Plain' });
  const high = (height: number) => Object.defineProperty(column, 'scrollHeight', { configurable: true, value: height });
  Object.defineProperty(column, 'clientHeight', { value: 160 });
  high(400);
  write('Water');
  await waitFor(() => expect(column.scrollTop).toBe(400));
  column.scrollTop = 100;
  await fireEvent.scroll(column);
  high(500);
  write('Water does');
  await waitFor(() => expect(column).toHaveTextContent('Water does'));
  expect(column.scrollTop).toBe(100);
  column.scrollTop = 340;
  await fireEvent.scroll(column);
  high(600);
  write('Water does not.');
  await waitFor(() => expect(column.scrollTop).toBe(600));
});

test('while it runs the columns stream side by side, each with its speed', async () => {
  const backend = backendThatCompares(running);
  const user = await openCompare(backend);
  await screen.findByTestId('comparison');
  expect(screen.queryByTestId('race')).not.toBeInTheDocument();
  const lanes = [lane({ stage: 'done', text: 'Water', tokens: 4, rounds: 4, seconds: 0.2 }), lane({ stage: 'writing', text: 'Wat', tokens: 3, rounds: 1, seconds: 0.1 }), lane({})];
  backend.write({ comparison: 1, prompt: 2, question: 'Why do rivers bend?', lanes });
  const shown = await screen.findAllByTestId('lane');
  expect(shown.map((each) => each.getAttribute('aria-label'))).toEqual(['Plain', 'dspark-270m', 'Lookup (no model), γ 4']);
  expect(shown[0]).toHaveTextContent('20.0 tokens/s · τ 1.00');
  const written = () => within(screen.getAllByTestId('lane')[1]!).getByRole('group', { name: 'Text of dspark-270m' });
  expect(written()).toHaveTextContent('Wat');
  for (const [part, all] of [[{ anew: false, text: 'er flows' }, 'Water flows'], [{ text: 'W' }, 'W']] as const) {
    backend.write({ comparison: 1, prompt: 2, question: 'Why do rivers bend?', lanes: [lanes[0]!, lane({ stage: 'writing', ...part }), lanes[2]!] });
    await waitFor(() => expect(written()).toHaveTextContent(new RegExp(`^${all}$`)));
  }
  expect(shown[2]).toHaveTextContent('waits for its turn');
  expect(screen.getByText('Prompt 2: Why do rivers bend?')).toBeInTheDocument();
  expect(screen.getByRole('progressbar', { name: `Answers done for ${title}` })).toHaveValue(7);
  expect(screen.getByRole('img', { name: '15% of the answers of a comparison are done' })).toBeInTheDocument();
  await user.click(screen.getByRole('button', mine('Pause')));
  expect(await screen.findByRole('button', mine('Resume'))).toHaveFocus();
  backend.write(null);
  await waitFor(() => expect(screen.queryByTestId('race')).not.toBeInTheDocument());
});

test('one that is done shows the verdict, and by workload the table with the winner marked', async () => {
  const user = await openCompare(backendThatCompares(done));
  expect(await screen.findByTestId('verdict')).toHaveTextContent(identical);
  const report = within(await screen.findByTestId('report'));
  const cells = within(report.getAllByTestId('measured')[1]!).getAllByRole('cell').map((cell) => cell.textContent?.trim());
  expect(report.getByRole('rowheader', { name: /^dspark-270m\sfastest$/ })).toBeInTheDocument();
  expect(cells).toEqual(['50.5', '1.62', '1.54 to 1.70', '', '2.61', '–', '82 61 44 29 18', '1.3 GB']);
  expect(report.getByTestId('winner')).toHaveTextContent(/^dspark-270m is the fastest/);
  await user.click(report.getByRole('radio', { name: 'Code' }));
  expect(report.getByTestId('winner')).toHaveTextContent(/^No clear winner/);
  expect(report.queryByText('fastest')).not.toBeInTheDocument();
  expect(report.getAllByTestId('compared')[0]).toHaveTextContent(/^Why do rivers bend\?\s*identical/);
  await user.click(report.getByText('Why do rivers bend?'));
  expect((await report.findAllByTestId('lane'))[1]).toHaveTextContent('50.6 tokens/s · τ 2.60');
  expect(report.getByText('Machine: Apple M4 Pro macos aarch64 12')).toBeInTheDocument();
});

test('one is exported, and forgotten after a question', async () => {
  const backend = backendThatCompares(done);
  const user = await openCompare(backend);
  for (const name of ['Export card…', 'Export CSV…', 'Export JSON…']) await user.click(await screen.findByRole('button', { name }));
  await waitFor(() => expect(backend.comparisonsSaved).toEqual(['markdown', 'csv', 'json']));
  expect(screen.getByTestId('written')).toHaveTextContent('Saved as /documents/calibration.csv.');
  await user.click(screen.getByRole('button', mine('Forget')));
  await user.click(screen.getByRole('button', { name: 'Forget' }));
  await waitFor(() => expect(screen.queryByTestId('comparison')).not.toBeInTheDocument());
  expect(await screen.findByTestId('comparison-form')).toBeInTheDocument();
});

test('a list that cannot be had is asked for again', async () => {
  const backend = backendThatCompares(done);
  backend.failing.set('watchComparisons', 'The database is locked.');
  const user = await openCompare(backend);
  expect(await screen.findByRole('alert')).toHaveTextContent('The database is locked.');
  backend.failing.clear();
  await user.click(screen.getByRole('button', { name: 'Try again' }));
  expect(await screen.findByTestId('comparison')).toBeInTheDocument();
});
