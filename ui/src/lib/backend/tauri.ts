import { Channel } from '@tauri-apps/api/core';
import { commands } from '../bindings';
import { type Backend, type Calibration, type Checking, type Download, type Failure, type Frame, Refusal, type Training } from './backend';

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
  models: (after) => unwrap(commands.models(after)),
  modelDetails: (id) => unwrap(commands.modelDetails(id)),
  addModel: (folder) => unwrap(commands.addModel(folder)),
  addDemo: () => unwrap(commands.addDemo()),
  removeModel: (id) => done(commands.removeModel(id)),
  orphans: (id) => unwrap(commands.orphans(id)),
  chooseFolder: () => unwrap(commands.chooseFolder()),
  missingFiles: (ids) => unwrap(commands.missingFiles(ids)),
  checkFiles: (id, work, onChecking) => unwrap(commands.checkFiles(id, work, new Channel<Checking>(onChecking))),
  runningChecks: () => unwrap(commands.runningChecks()),
  stopChecking: (id) => done(commands.stopChecking(id)),
  trash: () => unwrap(commands.trash()),
  restoreModel: (id) => unwrap(commands.restoreModel(id)),
  emptyTrash: () => unwrap(commands.emptyTrash()),
  found: () => unwrap(commands.found()),
  watchDownloads: (onList) => done(commands.watchDownloads(new Channel<Download[]>(onList))),
  pauseDownload: (id) => unwrap(commands.pauseDownload(id)),
  resumeDownload: (id) => unwrap(commands.resumeDownload(id)),
  cancelDownload: (id) => unwrap(commands.cancelDownload(id)),
  forgetDownload: (id) => done(commands.forgetDownload(id)),
  catalogue: () => unwrap(commands.catalogue()),
  discover: (text, wanted, cursor) => unwrap(commands.discover(text, wanted, cursor)),
  offer: (repo, revision) => unwrap(commands.offer(repo, revision)),
  get: (repo, commit, copy) => unwrap(commands.get(repo, commit, copy)),
  openPage: (repo) => done(commands.openPage(repo)),
  openLink: (address) => done(commands.openLink(address)),
  hubStatus: () => unwrap(commands.hubStatus()),
  logIn: (token) => unwrap(commands.logIn(token)),
  logOut: () => unwrap(commands.logOut()),
  setOffline: (offline) => unwrap(commands.setOffline(offline)),
  conversations: () => unwrap(commands.conversations()),
  renameConversation: (id, title) => done(commands.renameConversation(id, title)),
  pinConversation: (id, pinned) => done(commands.pinConversation(id, pinned)),
  tagConversation: (id, tags) => unwrap(commands.tagConversation(id, tags)),
  removeConversation: (id) => done(commands.removeConversation(id)),
  removedConversations: () => unwrap(commands.removedConversations()),
  restoreConversation: (id) => unwrap(commands.restoreConversation(id)),
  forgetConversation: (id) => done(commands.forgetConversation(id)),
  messages: (conversation) => unwrap(commands.messages(conversation)),
  showBranch: (message) => unwrap(commands.showBranch(message)),
  search: (text) => unwrap(commands.search(text)),
  setSystem: (id, system) => done(commands.setSystem(id, system)),
  exportConversation: (id, what) => unwrap(commands.exportConversation(id, what)),
  say: (conversation, text, pair, controls, insist, { attachments = [], system = '' } = {}) =>
    unwrap(commands.say(conversation, text, attachments, system, { ...pair, controls, insist })),
  chooseAttachments: () => unwrap(commands.chooseAttachments()),
  editMessage: (message, text, pair, controls, insist) =>
    unwrap(commands.editMessage(message, text, { ...pair, controls, insist })),
  answerAgain: (message, pair, controls, insist) => unwrap(commands.answerAgain(message, { ...pair, controls, insist })),
  rerun: (message, insist) => unwrap(commands.rerun(message, insist)),
  watch: (onFrame) => unwrap(commands.watch(new Channel<Frame>(onFrame))),
  stop: () => done(commands.stop()),
  verify: (message, insist) => unwrap(commands.verify(message, insist)),
  stopVerifying: () => done(commands.stopVerifying()),
  trainingChoices: () => unwrap(commands.trainingChoices()),
  choosePrompts: () => unwrap(commands.choosePrompts()),
  estimateTraining: (order) => unwrap(commands.estimateTraining(order)),
  startTraining: (order) => unwrap(commands.startTraining(order)),
  trainings: () => unwrap(commands.trainings()),
  watchTrainings: (onList) => done(commands.watchTrainings(new Channel<Training[]>(onList))),
  pauseTraining: (id) => unwrap(commands.pauseTraining(id)),
  resumeTraining: (id) => unwrap(commands.resumeTraining(id)),
  trainLonger: (id, steps) => unwrap(commands.trainLonger(id, steps)),
  stopTraining: (id) => unwrap(commands.stopTraining(id)),
  removeTraining: (id) => done(commands.removeTraining(id)),
  calibrationChoices: () => unwrap(commands.calibrationChoices()),
  estimateCalibration: (order) => unwrap(commands.estimateCalibration(order)),
  startCalibration: (order) => unwrap(commands.startCalibration(order)),
  calibrations: () => unwrap(commands.calibrations()),
  watchCalibrations: (onList) => done(commands.watchCalibrations(new Channel<Calibration[]>(onList))),
  calibrationReport: (id) => unwrap(commands.calibrationReport(id)),
  pauseCalibration: (id) => unwrap(commands.pauseCalibration(id)),
  resumeCalibration: (id) => unwrap(commands.resumeCalibration(id)),
  removeCalibration: (id) => done(commands.removeCalibration(id)),
  applyCalibration: (id) => unwrap(commands.applyCalibration(id)),
  revertCalibration: (id) => unwrap(commands.revertCalibration(id)),
  writeCalibration: (id, force) => done(commands.writeCalibration(id, force)),
  takeBackCalibration: (id) => done(commands.takeBackCalibration(id)),
  calibrationStanding: ({ target, drafter, precision, thinking }) => unwrap(commands.calibrationStanding(target, drafter, precision, thinking)),
  exportCalibration: (id, what) => unwrap(commands.exportCalibration(id, what)),
  preferences: () => unwrap(commands.preferences()),
  savePreferences: (preferences) => done(commands.savePreferences(preferences)),
  presets: () => unwrap(commands.presets()),
  savePreset: (preset) => unwrap(commands.savePreset(preset)),
  removePreset: (name) => unwrap(commands.removePreset(name)),
};
