import { cleanup, screen, waitFor, within } from '@testing-library/svelte';
import { expect, test } from 'vitest';
import { drafting, message, outcome, plainly, statsOf } from '../scripted/samples';
import type { Trace } from '../src/lib/backend/backend';
import { MainWindow } from '../src/lib/window.svelte';
import { answer, backendWithTalks } from './talks';
import { ask, backendWithModels, composer, drafter, frame, open, round, target, trace } from './window';

test('Enter sends with the picked pair and empties the field', async () => {
  const backend = backendWithModels();
  const user = await open(backend);
  const { conversation } = await ask(backend, user, 'Hello');
  expect(backend.said).toEqual([
    { conversation, text: 'Hello', pair: { target: 't', drafter: null }, controls: backend.kept.controls, insist: false, observe: false },
  ]);
  expect(composer()).toHaveValue('');
  expect(screen.getByTestId('question')).toHaveTextContent('Hello');
});

test('Shift+Enter starts a new line, and a blank message is not sent', async () => {
  const backend = backendWithModels();
  const user = await open(backend);
  expect(screen.getByRole('button', { name: 'Send' })).toBeDisabled();
  await user.type(composer(), ' {Enter}');
  await user.type(composer(), 'a{Shift>}{Enter}{/Shift}b');
  expect(composer()).toHaveValue(' a\nb');
  expect(backend.said).toEqual([]);
});

test.each([
  ['while it composes', { isComposing: true }],
  ['after it composed, as in WebKit', { keyCode: 229 }],
])('Enter that confirms a word of an input method does not send %s', async (_, part) => {
  const backend = backendWithModels();
  const user = await open(backend);
  await user.type(composer(), 'こん');
  composer().dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, ...part }));
  expect(backend.said).toEqual([]);
});

test('without a target the field is off and says why', async () => {
  const backend = backendWithModels();
  backend.kept = { ...backend.kept, target: null };
  await open(backend);
  expect(composer()).toBeDisabled();
  expect(composer()).toHaveAttribute('placeholder', 'Pick a target to write to.');
});

test('a refused message keeps its text and shows the sentence as it is', async () => {
  const backend = backendWithModels();
  const user = await open(backend);
  backend.failing.set('say', 'The drafter was trained for another target.');
  await user.type(composer(), 'Hello{Enter}');
  expect(await screen.findByTestId('refusal')).toHaveTextContent(/^The drafter was trained for another target\.$/);
  expect(composer()).toHaveValue('Hello');
});

test('an answer goes through its phases, streams, and ends with its numbers', async () => {
  const backend = backendWithModels();
  const user = await open(backend);
  const ids = await ask(backend, user, 'Hello');
  const answer = screen.getByTestId('answer');
  expect(answer).toHaveAttribute('data-state', 'running');

  backend.emit(frame(ids, { phase: { kind: 'loading', what: 't' } }));
  expect(await within(answer).findByText('Loading gemma-3-270m-it…')).toBeInTheDocument();
  backend.emit(frame(ids, { phase: { kind: 'prefill', done: 512, total: 2048 } }));
  expect(await within(answer).findByText('512 of 2,048 tokens')).toBeInTheDocument();

  const rounds = [round('Good', 2, 2), round(' day', 2, 1)];
  backend.emit(frame(ids, { rounds }));
  expect(await within(answer).findByText('Good day')).toBeInTheDocument();
  expect(screen.getByTestId('acceptance')).toHaveAttribute('data-rounds', '2');
  expect(screen.getAllByTestId('bar')).toHaveLength(2);

  const end = message({ id: ids.message, author: 'assistant', text: 'Good day!', outcome: outcome(rounds) });
  backend.emit(frame(ids, { firstRound: 2, phase: { kind: 'ended', message: end } }));
  expect(await within(answer).findByText('Good day!')).toBeInTheDocument();
  expect(answer).toHaveAttribute('data-state', 'complete');
  expect(answer).toHaveTextContent('25.0 tokens/s decoding plain not measured yet τ 2.50 bonus included 3 of 4 accepted auto, γ up to 5 schedule 0.9 s to the first token 32 tokens of context prompt and answer');
  expect(screen.getByRole('img', { name: /Tokens per round over 2 rounds/ })).toBeInTheDocument();
});

test('a speed stands beside the plain one of this session', async () => {
  const backend = backendWithModels();
  const user = await open(backend);
  const answers = [
    { speculation: plainly('no drafter is chosen'), rounds: [round('one', 0, 0)] },
    // The drafter was sure of nothing: that is not plain decoding.
    { speculation: drafting, rounds: [round('two', 0, 0), round('three', 0, 0)] },
    { speculation: drafting, rounds: [round('four', 2, 1)] },
  ];
  for (const { speculation, rounds } of answers) {
    const ids = await ask(backend, user, 'Hello');
    const part = { target: 't', speculation, stats: { ...statsOf(rounds), decodeSeconds: 0.25 } };
    const end = message({ id: ids.message, author: 'assistant', text: 'Hi.', outcome: outcome(rounds, part) });
    backend.emit(frame(ids, { rounds, phase: { kind: 'ended', message: end } }));
    await screen.findByRole('button', { name: 'Send' });
  }
  const [plain, unsure, drafted] = screen.getAllByTestId('answer');
  expect(plain).toHaveTextContent('tokens/s decoding plain decoding');
  expect(unsure).toHaveTextContent('2.50 × plain (4.0 tokens/s)');
  expect(drafted).toHaveTextContent('5.00 × plain (4.0 tokens/s)');
  expect(screen.getByTestId('plain')).toHaveTextContent('5.00 × plain (4.0 tokens/s)');
  expect(within(drafted!).getByText(/× plain/)).toHaveAttribute('title', expect.stringMatching(/of the answers of this session that this target decoded plainly$/));
});

test('the bandwidth ceiling of an answer is that behind as many tokens, and stays while the next one runs', async () => {
  const backend = backendWithModels();
  backend.ceilings.set('t', { tokensPerSecond: 40, bytesPerSecond: 20e9, bytesPerToken: 5e8 });
  const user = await open(backend);
  const ids = await ask(backend, user, 'Hello');
  expect(screen.queryByTestId('bandwidth-ceiling')).toBeNull();
  const part = { target: 't', stats: { ...statsOf([round('Hi.', 2, 1)]), promptTokens: 100, tokens: 40 } };
  const end = message({ id: ids.message, author: 'assistant', text: 'Hi.', outcome: outcome([], part) });
  backend.emit(frame(ids, { phase: { kind: 'ended', message: end } }));
  expect(await screen.findByTestId('bandwidth-ceiling')).toHaveTextContent('Bandwidth ceiling: 40.0 tokens/s');
  expect(backend.ceilingsAsked).toEqual([{ target: 't', precision: 'asStored', context: 120 }]);
  await ask(backend, user, 'And then?');
  expect(screen.getByTestId('bandwidth-ceiling')).toBeInTheDocument();
});

test('the charts of an answer are of its rounds, as they were watched and as they were kept', async () => {
  const backend = backendWithModels();
  const user = await open(backend);
  const ids = await ask(backend, user, 'Hello');
  const sure: Partial<Trace> = { provenance: ['accepted', 'bonus'], rejected: ['x'], confidences: [0.8, 0.4] };
  const kept = [trace(['one'], { confidences: [0.1] }), trace(['two', ' three'], sure), trace([' four'])];
  const [, ...rounds] = kept.map((each) => ({ ...round('', 0, 0), ...each, tokens: each.pieces.length }));
  const judged = [{ ...rounds[0]!, proposed: 2, accepted: 1 }, rounds[1]!];
  const end = message({ id: ids.message, author: 'assistant', text: 'Hi.', outcome: outcome(judged, { target: 't' }) });
  backend.emit(frame(ids, { rounds: judged, phase: { kind: 'ended', message: end } }));
  const line = async () => (await screen.findByRole('img', { name: /^Tokens per round over 2 rounds/ })).innerHTML;
  const confidence = async () => (await screen.findByTestId('confidence')).innerHTML;
  const watched = [await line(), await confidence()];

  // Another window: it went on once, and its numbers are those of the rest.
  cleanup();
  backend.traces.set(ids.message, kept);
  backend.written.set(ids.conversation, [end]);
  await open(backend);
  expect([await line(), await confidence()]).toEqual(watched);
});

test('an answer whose rounds are not known has its numbers all the same', async () => {
  const backend = backendWithTalks();
  backend.written.set(2, [answer(21, 'Hi.')]);
  const user = await open(backend);
  await user.click(await screen.findByText('Newer'));
  expect(await screen.findByText('2 tokens in 1 round. What each round did is not known.')).toBeInTheDocument();
  expect(screen.queryByTestId('confidence')).not.toBeInTheDocument();
});

test('how fast a target decodes plainly is known of all its answers in this session', async () => {
  const backend = backendWithModels();
  const main = new MainWindow(backend);
  await main.start();
  const { chat } = main;
  for (const speculation of [plainly('γ is 0'), drafting]) {
    chat.unsent.change({ text: 'Hello' });
    await chat.send();
    const ids = { conversation: chat.selected!, message: chat.answer!.message };
    const end = message({ id: ids.message, author: 'assistant', text: 'Hi.', outcome: outcome([round('one', 1, 1)], { target: 't', speculation }) });
    backend.emit(frame(ids, { phase: { kind: 'ended', message: end } }));
  }
  expect(chat.plain?.speed).toBe(2 / 0.05);
});

test('blank lines around an answer are not shown', async () => {
  const backend = backendWithModels();
  const user = await open(backend);
  const ids = await ask(backend, user, 'Hello');
  backend.emit(frame(ids, { rounds: [round('\n \n  one\n\ntwo\n\n', 0, 0)] }));
  const text = await screen.findByTestId('text');
  expect(Array.from(text.querySelectorAll('p'), (paragraph) => paragraph.textContent)).toEqual(['one', 'two']);
});

test('a drafter that cannot be used is said and not silently replaced', async () => {
  const backend = backendWithModels();
  backend.registered = [target, { ...drafter, broken: 'The folder is gone.' }];
  backend.kept = { ...backend.kept, drafter: 'd' };
  const user = await open(backend);
  expect(await screen.findByText('This drafter cannot be used at present. Pick another one, or none.')).toBeInTheDocument();
  await user.type(composer(), 'Hello{Enter}');
  expect(backend.said).toEqual([]);
});

test('stop asks once, and the answer that ends so says it', async () => {
  const backend = backendWithModels();
  const user = await open(backend);
  const ids = await ask(backend, user, 'Hello');
  await user.click(screen.getByRole('button', { name: 'Stop' }));
  expect(backend.stops).toBe(1);
  const end = message({ id: ids.message, author: 'assistant', text: 'Go', state: 'stopped' });
  backend.emit(frame(ids, { phase: { kind: 'ended', message: end } }));
  expect(await screen.findByText('stopped by you')).toBeInTheDocument();
  expect(screen.getByRole('button', { name: 'Send' })).toBeInTheDocument();
});

test('what needs more memory than there is can be loaded all the same', async () => {
  const backend = backendWithModels();
  const user = await open(backend);
  const ids = await ask(backend, user, 'Hello');
  const note = 'This needs 9 GB of memory, or load it all the same.';
  const end = message({ id: ids.message, author: 'assistant', text: '', state: 'failed', note, code: 'insist' });
  backend.emit(frame(ids, { phase: { kind: 'ended', message: end } }));
  await user.type(composer(), 'Later');
  await user.click(await screen.findByRole('button', { name: 'Load it all the same' }));
  await waitFor(() => expect(backend.said).toHaveLength(2));
  expect(backend.said[1]).toMatchObject({ conversation: ids.conversation, text: 'Hello', insist: true });
  expect(composer()).toHaveValue('Later');
  expect(screen.queryByRole('button', { name: 'Load it all the same' })).not.toBeInTheDocument();
});

test('a failed answer shows its sentence, and why it ran plainly', async () => {
  const backend = backendWithModels();
  const user = await open(backend);
  const ids = await ask(backend, user, 'Hello');
  backend.emit(frame(ids, { phase: { kind: 'decoding', speculation: plainly('the drafter is too slow here.') } }));
  expect(await screen.findByText('Plain decoding: the drafter is too slow here.')).toBeInTheDocument();
  const end = message({ id: ids.message, author: 'assistant', text: '', state: 'failed', note: 'The device ran out of memory.' });
  backend.emit(frame(ids, { phase: { kind: 'ended', message: end } }));
  expect(await screen.findByText('The device ran out of memory.')).toBeInTheDocument();
});

test('an answer that ended before it could be watched is read from the store', async () => {
  const backend = backendWithModels();
  const user = await open(backend);
  backend.watch = async () => {
    const { conversation } = backend.said.at(-1)!;
    const [question, answer] = backend.written.get(conversation)!;
    backend.written.set(conversation, [question!, { ...answer!, text: 'Done.', state: 'complete' }]);
    return false;
  };
  await user.type(composer(), 'Hello{Enter}');
  expect(await screen.findByText('Done.')).toBeInTheDocument();
  expect(screen.getByTestId('answer')).toHaveAttribute('data-state', 'complete');
});

test('a base model says that it continues the text', async () => {
  const backend = backendWithModels();
  backend.kept = { ...backend.kept, target: 'b' };
  await open(backend);
  expect(
    await screen.findByText('This is a base model without a chat template: it continues your text.'),
  ).toBeInTheDocument();
});
