// What can be done with an answer, and with its question: their buttons and the actions of the newest one are made of it.
import type { Message } from '../backend/backend';
import type { MainWindow } from '../window.svelte';
import { isWhole } from './thread.svelte';

export type AnswerAction = {
  of: Message['author'];
  /** What it is called where nothing says which answer is meant. */
  title: string;
  /** Whether it can be done now. */
  can: (message: Message) => boolean;
  run: (message: Message) => void;
};

export type AnswerActionId = 'edit' | 'again' | 'repeat' | 'verify' | 'timeline' | 'raw' | 'copy';

export function answerActionsOf({ chat, toasts }: MainWindow): Record<AnswerActionId, AnswerAction> {
  const { opened } = chat.thread;
  const copy = ({ text }: Message) => navigator.clipboard.writeText(text).then(() => toasts.show('Copied the answer.'));
  return {
    edit: { of: 'user', title: 'Edit the question', can: ({ id }) => !opened.has('editor', id), run: ({ id }) => opened.open('editor', id) },
    again: { of: 'assistant', title: 'Another answer', can: () => chat.ready, run: (message) => void chat.again(message) },
    repeat: {
      of: 'assistant',
      title: 'Run the answer again',
      can: (message) => isWhole(message) && chat.idle,
      run: ({ id }) => void chat.repeat(id),
    },
    verify: {
      of: 'assistant',
      title: 'Verify the answer',
      can: (message) => isWhole(message) && !chat.running && !chat.verifications.running,
      run: ({ id }) => void chat.verifications.run(id, false),
    },
    timeline: { of: 'assistant', title: 'Show or hide the timeline', can: isWhole, run: ({ id }) => opened.toggle('timeline', id) },
    raw: {
      of: 'assistant',
      title: 'Show or hide what the model really wrote',
      can: ({ outcome }) => (outcome?.raw ?? '') !== '',
      run: ({ id }) => opened.toggle('raw', id),
    },
    copy: {
      of: 'assistant',
      title: 'Copy the answer',
      can: ({ text }) => text !== '',
      run: (message) => void copy(message).catch(() => toasts.fail('The answer could not be copied.')),
    },
  };
}
