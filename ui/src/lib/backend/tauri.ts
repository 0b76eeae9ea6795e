import { Channel } from '@tauri-apps/api/core';
import { commands } from '../bindings';
import { type Backend, type Failure, type Frame, Refusal } from './backend';

type Reply<T> = { status: 'ok'; data: T } | { status: 'error'; error: Failure };

async function unwrap<T>(reply: Promise<Reply<T>>): Promise<T> {
  const result = await reply;
  if (result.status === 'error') throw new Refusal(result.error);
  return result.data;
}

async function done(reply: Promise<Reply<unknown>>): Promise<void> {
  await unwrap(reply);
}

export const tauri: Backend = {
  models: () => unwrap(commands.models()),
  modelDetails: (id) => unwrap(commands.modelDetails(id)),
  addModel: (folder) => unwrap(commands.addModel(folder)),
  removeModel: (id) => done(commands.removeModel(id)),
  chooseFolder: () => unwrap(commands.chooseFolder()),
  conversations: () => unwrap(commands.conversations()),
  renameConversation: (id, title) => done(commands.renameConversation(id, title)),
  removeConversation: (id) => done(commands.removeConversation(id)),
  messages: (conversation) => unwrap(commands.messages(conversation)),
  say: (conversation, text, pair, controls, insist) =>
    unwrap(commands.say(conversation, text, pair.target, pair.drafter, controls, insist)),
  watch: (onFrame) => unwrap(commands.watch(new Channel<Frame>(onFrame))),
  stop: () => done(commands.stop()),
  verify: (message, insist) => unwrap(commands.verify(message, insist)),
  stopVerifying: () => done(commands.stopVerifying()),
  preferences: () => unwrap(commands.preferences()),
  savePreferences: (preferences) => done(commands.savePreferences(preferences)),
};
