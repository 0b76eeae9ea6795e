// What can be done with a conversation: its row's menu and keys are made of it, and so are the actions of the one on screen.
import type { LocalKeys } from '../actions';
import type { Conversation, ConversationExport } from '../backend/backend';
import { focusOn, showing } from '../focus';
import { copied } from '../train/words';
import type { MainWindow } from '../window.svelte';

export type ConversationAction = {
  id: 'rename' | 'pin' | 'tags' | 'saveMarkdown' | 'saveJson' | 'delete';
  /** What it is called where nothing says which conversation is meant. */
  title: string;
  /** What it is called in the menu of its conversation. */
  label: (conversation: Conversation) => string;
  /** What is pressed for it on the row of its conversation. */
  local?: LocalKeys & { pressed: readonly string[] };
  run: (conversation: Conversation) => void;
};

/** In groups, as the menu of a conversation has them. */
export function conversationActionsOf(window: MainWindow): readonly (readonly ConversationAction[])[] {
  const { conversations } = window.chat;
  const attempt = (work: Promise<void>) => void work.catch((reason) => window.toasts.fail(reason));
  return [
    [
      {
        id: 'rename',
        title: 'Rename the conversation…',
        label: () => 'Rename',
        local: { pressed: ['F2'], keys: 'F2', does: 'Rename the conversation that has the focus' },
        run: (conversation) => edit(window, conversation, 'title'),
      },
      {
        id: 'pin',
        title: 'Pin or unpin the conversation',
        label: ({ pinned }) => (pinned ? 'Unpin' : 'Pin'),
        run: ({ id, pinned }) => attempt(conversations.pin(id, !pinned)),
      },
      { id: 'tags', title: 'Tags of the conversation…', label: () => 'Tags…', run: (conversation) => edit(window, conversation, 'tags') },
    ],
    [
      {
        id: 'saveMarkdown',
        title: 'Save the conversation as Markdown…',
        label: () => 'Save as Markdown…',
        run: ({ id }) => attempt(save(window, id, 'markdown')),
      },
      { id: 'saveJson', title: 'Save the conversation as JSON…', label: () => 'Save as JSON…', run: ({ id }) => attempt(save(window, id, 'json')) },
    ],
    [
      {
        id: 'delete',
        title: 'Delete the conversation',
        label: () => 'Delete',
        local: { pressed: ['Delete', 'Backspace'], keys: '⌫', does: 'Delete the conversation that has the focus' },
        run: (conversation) => attempt(remove(window, conversation)),
      },
    ],
  ];
}

/** Lets its row be written in, which has to be there for that. */
function edit({ chat: { conversations }, search }: MainWindow, { id, tags }: Conversation, part: 'title' | 'tags'): void {
  search.words = '';
  if (conversations.tag !== null && !tags.includes(conversations.tag)) conversations.wanted = null;
  conversations.edited = { id, part };
}

async function save({ chat: { conversations }, toasts }: MainWindow, id: number, what: ConversationExport): Promise<void> {
  const file = await conversations.save(id, what);
  if (file !== null) toasts.show(`Saved as “${file.split(/[/\\]/).at(-1)}”.`);
}

async function remove({ chat, toasts, trainings }: MainWindow, { id, title }: Conversation): Promise<void> {
  const open = chat.selected === id;
  await chat.remove(id);
  const copy = copied(trainings.all);
  toasts.show(`Deleted “${title}”.${copy === null ? '' : ` ${copy}`}`, async () => {
    await chat.conversations.restore(id);
    if (open && chat.selected === null) await chat.select(id);
    await focusOn(showing('conversation', id));
  });
  await focusOn('[data-testid=conversation]');
}
