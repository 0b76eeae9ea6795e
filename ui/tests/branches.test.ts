import { screen, waitFor } from '@testing-library/svelte';
import { expect, test } from 'vitest';
import { ScriptedBackend } from '../scripted/backend';
import { message, outcome } from '../scripted/samples';
import type { Message } from '../src/lib/backend/backend';
import { answer, answers, backendWithTalks, questions } from './talks';
import { composer, frame, open, round } from './window';

function backendWithAnswers(): ScriptedBackend {
  const backend = backendWithTalks();
  backend.written.set(1, [
    message({ id: 11, author: 'user', text: 'Who?' }),
    answer(12, 'Me.'),
    message({ id: 13, author: 'user', text: 'Why?' }),
    answer(14, 'So.'),
  ]);
  backend.kept = { ...backend.kept, conversation: 1 };
  return backend;
}

async function opened(backend = backendWithAnswers()) {
  const user = await open(backend);
  await screen.findByText('So.');
  return { backend, user };
}

const nth = (name: string, at: number) => screen.getAllByText(name, { selector: 'button' })[at]!;
const pager = (what: string) => screen.getByLabelText(`Branches from this ${what}`);
const arrow = (name: string) => screen.getByLabelText(name, { selector: 'button' });
const editor = () => screen.getByLabelText('Edit the question');

/** Ends the answer that runs with these words. */
function end(backend: ScriptedBackend, text: string, part: Partial<Message> = {}): void {
  const running = backend.written.get(1)!.at(-1)!;
  const ended = answer(running.id, text, { siblings: running.siblings, ...part });
  backend.written.set(1, [...backend.written.get(1)!.slice(0, -1), ended]);
  backend.emit(frame({ conversation: 1, message: running.id }, { phase: { kind: 'ended', message: ended } }));
}

test('an edited question begins a branch, and the pager leads back to the other one', async () => {
  const { backend, user } = await opened();
  expect(screen.queryByLabelText(/^Branches/)).not.toBeInTheDocument();
  await user.click(nth('Edit', 0));
  expect(editor()).toHaveValue('Who?');
  await user.clear(editor());
  await user.type(editor(), 'What?{Enter}');
  await waitFor(() => expect(questions()).toEqual(['What?']));
  end(backend, 'That.');
  await waitFor(() => expect(answers()).toEqual(['That.']));
  expect(pager('question')).toHaveTextContent('2 of 2');

  await user.click(arrow('Earlier question'));
  await waitFor(() => expect(questions()).toEqual(['Who?', 'Why?']));
  expect(answers()).toEqual(['Me.', 'So.']);
  expect(pager('question')).toHaveTextContent('1 of 2');
  await waitFor(() => expect(arrow('Later question')).toHaveFocus());
});

test('Escape leaves a question as it was, and the keyboard at Edit', async () => {
  const { backend, user } = await opened();
  await user.click(nth('Edit', 1));
  await user.type(editor(), ' not{Escape}');
  expect(questions()).toEqual(['Who?', 'Why?']);
  await waitFor(() => expect(nth('Edit', 1)).toHaveFocus());
  expect(backend.said).toEqual([]);
});

test('an edit that is refused stays where it is written', async () => {
  const { backend, user } = await opened();
  backend.failing.set('editMessage', 'Another answer is running.');
  await user.click(nth('Edit', 0));
  await user.type(editor(), ' And why?{Enter}');
  expect(await screen.findByTestId('refusal')).toHaveTextContent('Another answer is running.');
  expect(editor()).toHaveValue('Who? And why?');
  await user.clear(editor());
  expect(nth('Send', 0)).toBeDisabled();
});

test('another answer stands beside the first, from another seed', async () => {
  const { backend, user } = await opened();
  await user.click(nth('Another answer', 1));
  await waitFor(() => expect(backend.said).toHaveLength(1));
  expect(backend.said[0]).toMatchObject({ conversation: 1, text: 'Why?', pair: { target: 't' }, controls: { seed: 1 } });
  end(backend, 'Because.');
  await waitFor(() => expect(answers()).toEqual(['Me.', 'Because.']));
  expect(questions()).toEqual(['Who?', 'Why?']);
  expect(pager('answer')).toHaveTextContent('2 of 2');
  await user.click(arrow('Earlier answer'));
  await waitFor(() => expect(answers()).toEqual(['Me.', 'So.']));
});

test('what is not at the end can be answered again, and what followed is kept on its branch', async () => {
  const { backend, user } = await opened();
  await user.click(nth('Another answer', 0));
  await waitFor(() => expect(questions()).toEqual(['Who?']));
  end(backend, 'You.');
  await waitFor(() => expect(answers()).toEqual(['You.']));
  await user.click(arrow('Earlier answer'));
  await waitFor(() => expect(answers()).toEqual(['Me.', 'So.']));
});

test.each([
  [true, 'Run again: the same 1 tokens.'],
  [false, 'Run again: another answer after 3 tokens that are the same.'],
])('an answer runs again as its record says, and says whether it is the same: %s', async (same, sentence) => {
  const { backend, user } = await opened();
  await user.click(nth('Run again', 1));
  await waitFor(() => expect(backend.said[0]).toMatchObject({ text: 'Why?', controls: { seed: 0 } }));
  const made = outcome([round('So.', 2, 1)], { rerun: { of: 14, same, sentence } });
  end(backend, 'So.', { outcome: made });
  expect(await screen.findByTestId('rerun')).toHaveTextContent(sentence);
  expect(screen.getByTestId('rerun')).toHaveAttribute('data-same', String(same));
});

test('what was to run again and needs more memory than there is runs again all the same, by its record', async () => {
  const { backend, user } = await opened();
  await user.click(nth('Run again', 1));
  await waitFor(() => expect(backend.said).toHaveLength(1));
  end(backend, '', { state: 'failed', note: 'This needs 9 GB.', code: 'insist', outcome: null });
  backend.rerun = async (id, { insist }) => {
    expect([id, insist]).toEqual([14, true]);
    throw new Error('It is out of memory.');
  };
  await user.click(await screen.findByText('Load it all the same'));
  expect(await screen.findByText('It is out of memory.')).toBeInTheDocument();
});

test('while an answer runs no other begins, and another branch can be read', async () => {
  const { backend, user } = await opened();
  await user.click(nth('Another answer', 1));
  await screen.findByLabelText('Stop');
  for (const name of ['Run again', 'Another answer']) expect(nth(name, 0)).toBeDisabled();
  await user.click(nth('Edit', 0));
  expect(nth('Send', 0)).toBeDisabled();
  await user.keyboard('{Escape}');
  const { id } = backend.written.get(1)!.at(-1)!;
  backend.emit(frame({ conversation: 1, message: id }, { rounds: [round('Bec', 2, 1)] }));
  expect(await screen.findByText('Bec')).toBeInTheDocument();
  await user.click(arrow('Earlier answer'));
  await waitFor(() => expect(answers()).toEqual(['Me.', 'So.']));
  await user.click(arrow('Later answer'));
  backend.emit(frame({ conversation: 1, message: id }, { firstRound: 1, rounds: [round('ause', 2, 1)] }));
  await waitFor(() => expect(answers()).toEqual(['Me.', 'Because']));
});

test('a branch that cannot be shown leaves the one that is, and says why', async () => {
  const { backend, user } = await opened();
  await user.click(nth('Another answer', 1));
  await waitFor(() => expect(backend.said).toHaveLength(1));
  end(backend, 'Because.');
  await screen.findByText('Because.');
  backend.failing.set('showBranch', 'The database is locked.');
  await user.click(arrow('Earlier answer'));
  expect(await screen.findByTestId('refusal')).toHaveTextContent('The database is locked.');
  expect(answers()).toEqual(['Me.', 'Because.']);
});

test('what is said next follows the branch that is shown', async () => {
  const { backend, user } = await opened();
  await user.click(nth('Another answer', 0));
  await waitFor(() => expect(backend.said).toHaveLength(1));
  end(backend, 'You.');
  await screen.findByText('You.');
  await user.click(arrow('Earlier answer'));
  await screen.findByText('So.');
  await user.type(composer(), 'And then?{Enter}');
  await waitFor(() => expect(questions()).toEqual(['Who?', 'Why?', 'And then?']));
});
