import { cleanup, screen, waitFor, within } from '@testing-library/svelte';
import { expect, test } from 'vitest';
import { outcome } from '../scripted/samples';
import { tokensOf } from '../src/lib/provenance/tokens';
import { Traced } from '../src/lib/provenance/traced.svelte';
import { answer, backendWithTalks } from './talks';
import { ask, backendWithModels, decoding, frame, open, round, trace } from './window';

/** Two tokens stand of four, and the target puts another one in place of the third. */
const resampled = trace(['The', ' river', ' bends'], {
  provenance: ['accepted', 'accepted', 'resampled'],
  rejected: [' runs', '\n'],
  confidences: [0.9, 0.8, 0.7, 0.6],
  calibrated: [0.91, 0.81, 0.71, 0.61],
  p: [0.99, 0.98, 0.0001, 0.2],
  q: [0.95, 0.94, 0.93, 0.92],
  ownP: 0.5,
});

const tokens = () => screen.getByRole('listbox', { name: 'Tokens of the answer' });
/** What is known of the token that is looked at. */
const facts = () =>
  Object.fromEntries([...screen.getByTestId('provenance').querySelectorAll('dl > div')].map((fact) => [fact.querySelector('dt')!.textContent, fact.querySelector('dd')!.textContent]));

test('what did not stand comes where it failed, before what the target wrote instead', () => {
  const all = tokensOf(resampled, 7, 41);
  expect(all.map(({ kind, text, place, drafted }) => [kind, text, place, drafted])).toEqual([
    ['accepted', 'The', 41, 1],
    ['accepted', ' river', 42, 2],
    ['rejected', ' runs', 43, 3],
    ['rejected', '↵', 44, 4],
    ['resampled', ' bends', 43, null],
  ]);
  expect(all.map(({ confidence, calibrated, p, q }) => [confidence, calibrated, p, q])).toEqual([
    [0.9, 0.91, 0.99, 0.95],
    [0.8, 0.81, 0.98, 0.94],
    [0.7, 0.71, 0.0001, 0.93],
    [0.6, 0.61, 0.2, 0.92],
    [null, null, 0.5, null],
  ]);
});

test('what a token hides or turns is named', () => {
  const [turning, tab, nothing] = tokensOf(trace(['\u202Eevil', 'a\tb\n', '']), 1, 1);
  expect([turning!.text, tab!.text, nothing!.text]).toEqual(['⟨U+202E⟩evil', 'a⇥\tb↵\n', '∅']);
});

test('rounds count once and in order, and only the end is drawn anew', () => {
  const traced = new Traced();
  traced.add(0, [resampled]);
  const [before] = traced.paragraphs[0]!.groups;
  traced.add(0, [resampled, trace([' on'])]);
  traced.add(3, [trace([' lost'])]);
  expect([traced.rounds, traced.length, traced.at(5)?.place]).toEqual([2, 6, 4]);
  expect(traced.counts).toEqual({ accepted: 2, bonus: 0, resampled: 1, rejected: 2, plain: 1 });
  traced.add(2, Array.from({ length: 400 }, () => trace([' word\n'])));
  expect(traced.paragraphs[0]!.groups[0]).toBe(before);
  expect(traced.paragraphs.length).toBeGreaterThan(2);
  const begun = traced.paragraphs.length;
  traced.add(402, [...Array.from({ length: 130 }, () => trace([' word'])), trace(['\n\nNext'])]);
  expect([traced.paragraphs.length, traced.at(traced.length - 1)?.text]).toEqual([begun + 1, '↵↵\nNext']);
  const drawn = traced.paragraphs.flatMap(({ groups }) => groups).flatMap((group) => group.tokens.map((token, at) => traced.at(group.first + at) === token));
  expect(drawn).toEqual(Array(537).fill(true));
});

test('an answer is shown as its tokens, which the arrow keys go through', async () => {
  const backend = backendWithTalks();
  const text = 'The river bends on';
  backend.written.get(1)!.push(answer(14, text));
  backend.traces.set(14, [resampled, trace([' on'], { provenance: ['plain'], seconds: 0.043 })]);
  backend.kept = { ...backend.kept, conversation: 1 };
  const user = await open(backend);
  await screen.findByText(text);
  await user.keyboard('{Control>}p{/Control}');
  const list = await waitFor(tokens);
  expect(screen.queryByText(text)).not.toBeInTheDocument();
  const counts = within(screen.getByRole('list', { name: 'Tokens by provenance' })).getAllByRole('listitem').map((each) => each.textContent);
  expect(counts).toEqual(['accepted 2', 'bonus 0', 'resampled 1', 'rejected 2', 'plain 1']);
  // What was interrupted has no rounds.
  expect(screen.getByText('How this answer came about was not kept.')).toBeInTheDocument();

  const places = within(list).getAllByRole('option').map((token) => ['aria-posinset', 'aria-setsize'].map((name) => token.getAttribute(name)));
  expect(places).toEqual(['1', '2', '3', '4', '5', '6'].map((place) => [place, '6']));
  list.focus();
  await user.keyboard('{ArrowRight}{ArrowRight}');
  expect(within(list).getByRole('option', { selected: true })).toHaveTextContent('runs');
  expect(list).toHaveAttribute('aria-activedescendant', within(list).getByRole('option', { selected: true }).id);
  expect(facts()).toMatchObject({ answer: '3', draft: '3', confidence: '0.700', calibrated: '0.710', p: '< 0.001', q: '0.930', round: '1', time: '100 ms' });
  await user.keyboard('{ArrowDown}');
  expect(facts()).toMatchObject({ answer: '4', draft: '–', confidence: '–', p: '–', round: '2', time: '43 ms' });
  await user.keyboard('{ArrowUp}');
  expect(facts()).toMatchObject({ answer: '1', round: '1' });
  await user.hover(screen.getByText('bends'));
  expect(facts()).toMatchObject({ answer: '3', draft: '–', p: '0.500', q: '–' });

  await user.keyboard('{Control>}p{/Control}');
  expect(await screen.findByText(text)).toBeInTheDocument();
});

test('answers are still their tokens after a restart', async () => {
  const backend = backendWithTalks();
  backend.written.get(1)!.push(answer(14, 'The river bends'));
  backend.traces.set(14, [resampled]);
  backend.kept = { ...backend.kept, conversation: 1 };
  const user = await open(backend);
  await screen.findByText('The river bends');
  await user.keyboard('{Control>}p{/Control}');
  await waitFor(() => expect(backend.kept.provenance).toBe(true));
  cleanup();
  await open(backend);
  await waitFor(tokens);
  expect(screen.queryByText('The river bends')).not.toBeInTheDocument();
});

test('the next answer is observed, and one that runs comes from its beginning', async () => {
  const backend = backendWithModels();
  const user = await open(backend);
  const ids = await ask(backend, user, 'Hello');
  expect(backend.said[0]).toMatchObject({ observe: false });
  const rounds = [round('One', 2, 1), round(' two', 2, 1)];
  backend.emit(frame(ids, { rounds }));
  backend.soFar = frame(ids, { rounds });
  await screen.findByText('One two');
  await user.keyboard('{Control>}p{/Control}');
  expect((await waitFor(tokens)).textContent).toBe('One two');
  backend.emit(frame(ids, { firstRound: 2, rounds: [round(' three', 2, 1)], phase: decoding }));
  await waitFor(() => expect(tokens().textContent).toBe('One two three'));
  expect(screen.getByText(/p and q were not recorded/)).toBeInTheDocument();

  const all = [...rounds, round(' three', 2, 1)];
  const final = { ...answer(ids.message, 'One two three'), outcome: outcome(all) };
  backend.emit(frame(ids, { firstRound: 3, phase: { kind: 'ended', message: final } }));
  await waitFor(() => expect(screen.getByTestId('answer')).toHaveAttribute('data-state', 'complete'));
  expect(tokens().textContent).toBe('One two three');
  expect(screen.getByRole('button', { name: 'Provenance' })).toHaveAttribute('aria-pressed', 'true');
  await user.click(screen.getByRole('button', { name: 'Another answer' }));
  await waitFor(() => expect(backend.said.at(-1)).toMatchObject({ observe: true }));
  const next = { conversation: ids.conversation, message: backend.written.get(ids.conversation)!.at(-1)!.id };
  backend.emit(frame(next, { rounds: [round('Four', 2, 1)] }));
  await waitFor(() => expect(tokens().textContent).toBe('Four'));
});

test('what cannot be read says so, and the answer is there all the same', async () => {
  const backend = backendWithTalks();
  backend.written.get(1)!.push(answer(14, 'So.'));
  backend.failing.set('rounds', 'The database is locked.');
  backend.kept = { ...backend.kept, conversation: 1 };
  const user = await open(backend);
  await screen.findByText('So.');
  await user.keyboard('{Control>}p{/Control}');
  expect((await screen.findAllByText('The database is locked.')).length).toBeGreaterThan(0);
  expect(screen.getByText('So.')).toBeInTheDocument();
});

test('the timeline says where the time went, and what cannot be told apart', async () => {
  const backend = backendWithTalks();
  const apart = { ...resampled, seconds: 0.1, draftSeconds: 0.03, verifySeconds: 0.0699, deviceSeconds: 0.08 };
  const stats = { ...outcome([]).stats, tokens: 8, loadSeconds: 0, prefillSeconds: 0.2, decodeSeconds: 0.35, firstTokenSeconds: 0.3, promptTokens: 30 };
  backend.written.get(1)!.push(answer(14, 'So.', { outcome: outcome([], { stats }) }), answer(15, 'No.', { outcome: outcome([], { stats }) }));
  backend.traces.set(14, [apart, resampled, trace([' on'])]);
  backend.kept = { ...backend.kept, conversation: 1 };
  const user = await open(backend);
  expect((await screen.findAllByText('to the first token'))[0]!.parentElement).toHaveTextContent('0.3 s');
  expect(screen.getAllByText('prompt and answer')[0]!.parentElement).toHaveTextContent('38 tokens of context');
  const [first, second] = screen.getAllByRole('button', { name: 'Timeline' });
  await user.click(first!);
  const rows = async () => within(await screen.findByTestId('timeline')).getAllByRole('row').slice(1).map((row) => [...row.children].slice(0, 3).map((cell) => cell.textContent));
  expect(await rows()).toEqual([
    ['prefill', '200 ms', '36.4%'],
    ['draft', '30 ms', '5.5%'],
    ['verify', '70 ms', '12.7%'],
    ['draft and verify', '100 ms', '18.2%'],
    ['plain steps', '100 ms', '18.2%'],
    ['between rounds', '50 ms', '9.1%'],
    ['in all', '550 ms', '100%'],
    ['host’s own work', '40 ms', '7.3%'],
  ]);
  await user.click(screen.getByRole('button', { name: 'Hide timeline' }));
  await user.click(second!);
  expect(await rows()).toEqual([
    ['prefill', '200 ms', '36.4%'],
    ['rounds', '350 ms', '63.6%'],
    ['in all', '550 ms', '100%'],
  ]);
});
