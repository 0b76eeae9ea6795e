import { screen } from '@testing-library/svelte';
import { ScriptedBackend } from '../scripted/backend';
import { conversation, message, outcome } from '../scripted/samples';
import type { Message } from '../src/lib/backend/backend';
import { backendWithModels, round } from './window';

/** Two conversations, one of which was interrupted. */
export function backendWithTalks(): ScriptedBackend {
  const backend = backendWithModels();
  backend.talks = [
    conversation({ id: 1, title: 'Older', target: 'b', drafter: 'd', updatedAt: 1 }),
    conversation({ id: 2, title: 'Newer', updatedAt: 2 }),
  ];
  backend.written.set(1, [
    message({ id: 11, author: 'user', text: 'Who?' }),
    message({ id: 12, author: 'assistant', text: 'Me.', state: 'interrupted' }),
  ]);
  return backend;
}

/** What a model wrote in one round. */
export function answer(id: number, text: string, part: Partial<Message> = {}): Message {
  return message({ id, author: 'assistant', text, outcome: outcome([round(text, 2, 1)], { target: 't', drafter: null }), ...part });
}

export const entries = () => screen.getAllByTestId('conversation');
export const titles = () => screen.queryAllByTestId('conversation').map((entry) => entry.querySelector('.title')?.textContent);
export const questions = () => screen.queryAllByTestId('question').map((each) => each.textContent?.replace(/^You:/, '').trim());
export const answers = () => screen.queryAllByTestId('text').map((each) => each.textContent?.trim());
