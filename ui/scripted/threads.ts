// Conversations with branches, files and a past, for looking at them.
import type { Attachment, Conversation, Message, Preset } from '../src/lib/backend/backend';
import { beforeLoading } from '../src/lib/preferences.svelte';
import { rounds } from './rounds';
import { conversation, message, outcome } from './samples';

export const notes: Attachment = { name: 'field-notes.txt', text: 'The outer bank moved by 40 cm this spring.\n'.repeat(60) };

/** Another way that the first conversation could have gone. */
export const elsewhere: Message[] = [
  message({ id: 17, author: 'user', text: 'And who decides where it goes? Answer from my notes.', attachments: [notes] }),
  message({ id: 18, author: 'assistant', text: 'By your notes, the outer bank does: it moves by 40 cm a year.', outcome: outcome(rounds('By your notes.', 5)) }),
];

/** What came of running an answer again. */
export const again = message({
  id: 19,
  author: 'assistant',
  text: 'About a human life for a bend, and a thousand of them for a valley.',
  outcome: outcome(rounds('About a human life for a bend, and a thousand of them for a valley.', 5), {
    rerun: { of: 16, same: false, sentence: 'Run again: another answer after 12 tokens that are the same; verify both to see which of them plain decoding writes.' },
  }),
});

export const removed: Conversation[] = [
  conversation({ id: 7, title: 'Names for a boat' }),
  conversation({ id: 8, title: 'A draft of the speech for the wedding in June' }),
];

export const presets: Preset[] = [
  { name: 'Geographer', system: 'You are a geographer. Answer in two or three sentences, with one example.', controls: beforeLoading.controls },
  { name: 'Editor', system: 'Correct the text and change nothing else.', controls: { ...beforeLoading.controls, temperature: 0.7 } },
];

/** So many messages, with Markdown in the answers. */
export function long(count: number): Message[] {
  const answer = rounds('The **outer** bank is cut faster.\n\n- slope\n- load\n- time\n\n```rust\nlet bend = water.meets(stone);\n```\n\nSo it wanders, `a little` every spring.', 5);
  const text = answer.map((round) => round.text).join('');
  const made = outcome(answer);
  return Array.from({ length: count }, (_, index) => {
    const id = 10_000 + index;
    return index % 2 === 0
      ? message({ id, author: 'user', text: `Question ${index / 2 + 1}: why do rivers meander?` })
      : message({ id, author: 'assistant', text: `${(index + 1) / 2}. ${text.repeat(1 + (index % 3))}`, outcome: made });
  });
}

/** So many conversations, the first of them open. */
export function many(count: number): Conversation[] {
  const before = (hours: number) => Date.now() - hours * 3_600_000;
  return Array.from({ length: count }, (_, index) => conversation({ id: index + 1, title: `On rivers, part ${count - index}`, updatedAt: before(48 * (index + 1)) }));
}
