import { fireEvent, screen, waitFor, within } from '@testing-library/svelte';
import { expect, test, vi } from 'vitest';
import { conversation } from '../scripted/samples';
import { training } from '../scripted/training';
import { backendWithTalks, entries, titles } from './talks';
import { composer, open } from './window';

type User = Awaited<ReturnType<typeof open>>;

/** Chooses something from the menu of a conversation. */
async function choose(user: User, title: string, item: string): Promise<void> {
  await user.click(await screen.findByLabelText(`More on “${title}”`, { selector: 'button' }));
  await user.click(screen.getByRole('menuitem', { name: new RegExp(`^${item}`) }));
}

const list = (name: string) => within(screen.getByRole('list', { name }));
const toast = () => screen.findByTestId('toast');

test('what is pinned stands before the others', async () => {
  const backend = backendWithTalks();
  const user = await open(backend);
  await choose(user, 'Older', 'Pin');
  await waitFor(() => expect(titles()).toEqual(['Older', 'Newer']));
  expect(list('Pinned conversations').getByText('Older')).toBeInTheDocument();
  expect(backend.talks.find(({ id }) => id === 1)?.pinned).toBe(true);
  await choose(user, 'Older', 'Unpin');
  await waitFor(() => expect(titles()).toEqual(['Newer', 'Older']));
  expect(screen.queryByRole('list', { name: 'Pinned conversations' })).not.toBeInTheDocument();
});

test('tags are typed with commas between them, and narrow the list down', async () => {
  const backend = backendWithTalks();
  const user = await open(backend);
  await choose(user, 'Older', 'Tags');
  await user.keyboard('work, big ideas{Enter}');
  await waitFor(() => expect(backend.talks[0]?.tags).toEqual(['work', 'big ideas']));
  const filter = within(await screen.findByRole('group', { name: 'Show only conversations with a tag' }));
  expect(filter.getAllByRole('button').map(({ textContent }) => textContent)).toEqual(['All', 'big ideas', 'work']);
  await user.click(filter.getByRole('button', { name: 'work' }));
  expect(titles()).toEqual(['Older']);
  // With its last conversation a tag goes, and the others are there again.
  await choose(user, 'Older', 'Tags');
  await user.keyboard('{Control>}a{/Control}{Backspace}{Enter}');
  await waitFor(() => expect(titles()).toEqual(['Newer', 'Older']));
});

test('tags that are refused say why, and leave those that there were', async () => {
  const backend = backendWithTalks();
  backend.failing.set('tagConversation', 'This tag is too long: at most 40 letters, please.');
  const user = await open(backend);
  await choose(user, 'Older', 'Tags');
  await user.keyboard('long{Enter}');
  expect(await screen.findByText('This tag is too long: at most 40 letters, please.')).toBeInTheDocument();
  expect(backend.talks[0]?.tags).toEqual([]);
});

test('a deleted conversation comes back by Undo, and is open again if it was', async () => {
  const backend = backendWithTalks();
  const user = await open(backend);
  await user.click(await screen.findByText('Older'));
  await screen.findByText('Me.');
  await choose(user, 'Older', 'Delete');
  expect(await toast()).toHaveTextContent('Deleted “Older”.');
  expect(titles()).toEqual(['Newer']);
  expect(await screen.findByRole('heading', { name: 'New chat' })).toBeInTheDocument();
  expect(backend.removed.map(({ id }) => id)).toEqual([1]);
  await user.click(screen.getByRole('button', { name: 'Undo' }));
  expect(await screen.findByText('Me.')).toBeInTheDocument();
  expect(titles()).toEqual(['Newer', 'Older']);
  expect(screen.queryByTestId('toast')).not.toBeInTheDocument();
});

test('Delete on a conversation deletes it, and the keyboard goes to the next one', async () => {
  const backend = backendWithTalks();
  const user = await open(backend);
  await screen.findByText('Newer');
  await waitFor(() => expect(composer()).toHaveFocus());
  entries()[0]!.focus();
  await user.keyboard('{Delete}');
  await waitFor(() => expect(titles()).toEqual(['Older']));
  await waitFor(() => expect(entries()[0]).toHaveFocus());
});

test('what cannot be deleted stays, and says why', async () => {
  const backend = backendWithTalks();
  backend.failing.set('removeConversation', 'The database is locked.');
  const user = await open(backend);
  await choose(user, 'Older', 'Delete');
  expect(await toast()).toHaveTextContent('The database is locked.');
  expect(titles()).toEqual(['Newer', 'Older']);
});

test('an Undo that fails says why', async () => {
  const backend = backendWithTalks();
  const user = await open(backend);
  await choose(user, 'Older', 'Delete');
  await toast();
  backend.failing.set('restoreConversation', 'The database is locked.');
  await user.click(screen.getByRole('button', { name: 'Undo' }));
  expect(await toast()).toHaveTextContent('The database is locked.');
});

test('who deletes a conversation is told of a training that may keep a copy', async () => {
  const backend = backendWithTalks();
  backend.course = [training({ id: 1, state: 'paused', name: 'mine', keepsConversations: true })];
  const user = await open(backend);
  await choose(user, 'Older', 'Delete');
  expect(await toast()).toHaveTextContent('A copy may stay with the training of mine until that leaves a drafter or is removed.');
});

test('what was deleted is restored, or deleted for good once that was asked', async () => {
  const backend = backendWithTalks();
  backend.removed = backend.talks.splice(0);
  const user = await open(backend);
  await user.click(await screen.findByText('Recently deleted (2)'));
  await user.click(screen.getByRole('button', { name: 'Restore “Newer”' }));
  await waitFor(() => expect(titles()).toEqual(['Newer']));
  await waitFor(() => expect(entries()[0]).toHaveFocus());

  await user.click(screen.getByRole('button', { name: 'Delete “Older” for good' }));
  const ask = within(screen.getByRole('group', { name: 'Delete “Older” for good?' }));
  expect(ask.getByRole('button', { name: 'Keep' })).toHaveFocus();
  await user.keyboard('{Escape}');
  expect(backend.removed).toHaveLength(1);
  await user.click(screen.getByRole('button', { name: 'Delete “Older” for good' }));
  await user.click(screen.getByRole('button', { name: 'Delete' }));
  await waitFor(() => expect(backend.removed).toEqual([]));
  expect(screen.queryByTestId('recently-deleted')).not.toBeInTheDocument();
});

test.each([
  ['Markdown', 'markdown', 'Saved as “1.md”.'],
  ['JSON', 'json', 'Saved as “1.json”.'],
] as const)('a conversation is saved as %s', async (name, what, said) => {
  const backend = backendWithTalks();
  const user = await open(backend);
  await choose(user, 'Older', `Save as ${name}`);
  expect(await toast()).toHaveTextContent(said);
  expect(backend.exportedTalks).toEqual([what]);
});

test('who leaves the dialog for a file is told nothing', async () => {
  const backend = backendWithTalks();
  backend.exportConversation = async () => null;
  const user = await open(backend);
  await choose(user, 'Older', 'Save as JSON');
  expect(screen.queryByTestId('toast')).not.toBeInTheDocument();
});

test('a menu is walked with the arrows and by first letters, and Escape leads back', async () => {
  const user = await open(backendWithTalks());
  const button = await screen.findByRole('button', { name: 'More on “Older”' });
  await waitFor(() => expect(composer()).toHaveFocus());
  button.focus();
  await user.keyboard('{Enter}');
  const item = (name: RegExp) => screen.getByRole('menuitem', { name });
  await waitFor(() => expect(item(/^Rename/)).toHaveFocus());
  await user.keyboard('{ArrowDown}');
  expect(item(/^Pin/)).toHaveFocus();
  await user.keyboard('{ArrowUp}{ArrowUp}');
  expect(item(/^Delete/)).toHaveFocus();
  await user.keyboard('s');
  expect(item(/Markdown/)).toHaveFocus();
  await user.keyboard('{Escape}');
  expect(screen.queryByRole('menu')).not.toBeInTheDocument();
  expect(button).toHaveFocus();
});

test('a right click opens the menu, and a click elsewhere closes it', async () => {
  const user = await open(backendWithTalks());
  await user.pointer({ keys: '[MouseRight]', target: await screen.findByText('Older') });
  expect(await screen.findByRole('menu', { name: 'More on “Older”' })).toBeInTheDocument();
  await user.click(composer());
  expect(screen.queryByRole('menu')).not.toBeInTheDocument();
});

test('only an open menu listens to the window, which closes it when it changes', async () => {
  const added = vi.spyOn(window, 'addEventListener');
  const user = await open(backendWithTalks());
  const button = await screen.findByRole('button', { name: 'More on “Older”' });
  const heard = () => added.mock.calls.filter(([event]) => event === 'resize' || event === 'scroll').length;
  expect(heard()).toBe(0);
  await user.click(button);
  expect(heard()).toBe(2);
  await fireEvent(window, new Event('resize'));
  expect(screen.queryByRole('menu')).not.toBeInTheDocument();
  added.mockRestore();
});

test('Escape leaves a title as it was, and the keyboard on its conversation', async () => {
  const user = await open(backendWithTalks());
  await screen.findByText('Newer');
  await waitFor(() => expect(composer()).toHaveFocus());
  entries()[0]!.focus();
  await user.keyboard('{F2}x{Escape}');
  await waitFor(() => expect(entries()[0]).toHaveFocus());
  expect(titles()).toEqual(['Newer', 'Older']);
});

test('a long list shows a hundred rows at first, and the one that is open, however old it is', async () => {
  const backend = backendWithTalks();
  backend.talks = Array.from({ length: 230 }, (_, id) => conversation({ id, title: `Talk ${id}`, updatedAt: id }));
  backend.kept = { ...backend.kept, conversation: 120 };
  const user = await open(backend);
  await waitFor(() => expect(titles()).toHaveLength(110));
  expect(titles().at(-1)).toBe('Talk 120');
  await user.click(screen.getByRole('button', { name: 'More conversations' }));
  await waitFor(() => expect(titles()).toHaveLength(210));
  await user.click(screen.getByRole('button', { name: 'More conversations' }));
  await waitFor(() => expect(titles()).toHaveLength(230));
  expect(screen.queryByRole('button', { name: 'More conversations' })).not.toBeInTheDocument();
  await waitFor(() => expect(document.activeElement).toHaveTextContent('Talk 19'));
});
