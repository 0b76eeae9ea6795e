import { clearMocks, mockIPC } from '@tauri-apps/api/mocks';
import { afterEach, expect, test } from 'vitest';
import { training } from '../scripted/training';
import { type Frame, Refusal, sentence } from '../src/lib/backend/backend';
import { tauri } from '../src/lib/backend/tauri';
import { beforeLoading } from '../src/lib/preferences.svelte';
import { frame, round, target } from './window';

afterEach(clearMocks);

type Internals = { __TAURI_INTERNALS__: { runCallback(id: number, message: unknown): void } };

test('a command gives its data', async () => {
  mockIPC((command) => (command === 'trash' ? [target] : null));
  expect(await tauri.trash()).toEqual([target]);
  expect(await tauri.stop()).toBeUndefined();
});

test('a failure is thrown with its sentence and code', async () => {
  mockIPC(() => {
    throw { code: 'otherTarget', message: 'This drafter belongs to another target.' };
  });
  const reason = await tauri.addModel('/models/x').catch((thrown: unknown) => thrown);
  expect(reason).toBeInstanceOf(Refusal);
  expect(reason).toMatchObject({ code: 'otherTarget' });
  expect(sentence(reason)).toBe('This drafter belongs to another target.');
});

test('a message goes out under the names of the wire', async () => {
  let sent: unknown;
  mockIPC((command, args) => {
    if (command === 'say') sent = args;
    return null;
  });
  const controls = { ...beforeLoading.controls, gamma: 3 };
  await tauri.say(7, 'Hello', { target: 't', drafter: null }, controls, { insist: true, observe: true });
  const asking = { target: 't', drafter: null, controls, insist: true, observe: true };
  expect(sent).toEqual({ conversation: 7, text: 'Hello', attachments: [], system: '', asking });
});

test('a link is opened by its address', async () => {
  const sent: unknown[] = [];
  mockIPC((command, args) => {
    sent.push([command, args]);
    return null;
  });
  await tauri.openLink('https://e.com/');
  expect(sent).toEqual([['open_link', { url: 'https://e.com/' }]]);
});

test('frames arrive in order, also after the command has resolved', async () => {
  let channel = 0;
  mockIPC((_, args) => {
    channel = (args as { frames: { id: number } }).frames.id;
    return true;
  });
  const seen: number[] = [];
  expect(await tauri.watch(({ firstRound }) => seen.push(firstRound))).toBe(true);
  const send = (index: number, message: Frame) =>
    (window as unknown as Internals).__TAURI_INTERNALS__.runCallback(channel, { index, message });
  const ids = { conversation: 1, message: 2 };
  send(1, frame(ids, { firstRound: 1, rounds: [round('b', 0, 0)] }));
  send(0, frame(ids, { firstRound: 0, rounds: [round('a', 0, 0)] }));
  expect(seen).toEqual([0, 1]);
});

test('trainings are followed from how they stand', async () => {
  let channel = 0;
  mockIPC((_, args) => {
    channel = (args as { lists: { id: number } }).lists.id;
    return null;
  });
  const seen: string[][] = [];
  await tauri.watchTrainings((all) => seen.push(all.map(({ name }) => name)));
  const message = [training({ id: 1, state: 'waiting', name: 'mine' })];
  (window as unknown as Internals).__TAURI_INTERNALS__.runCallback(channel, { index: 0, message });
  expect(seen).toEqual([['mine']]);
});

test('a calibration is written over another one only if that is said', async () => {
  const sent: unknown[] = [];
  mockIPC((command, args) => {
    sent.push([command, args]);
    return null;
  });
  await tauri.writeCalibration(3, false);
  expect(await tauri.exportCalibration(3, 'samples')).toBeNull();
  expect(sent).toEqual([
    ['write_calibration', { id: 3, force: false }],
    ['export_calibration', { id: 3, what: 'samples' }],
  ]);
});
