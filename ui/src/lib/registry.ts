// Everything that one can do from anywhere in the window, in one list: the keys, the palette, the menu, the sheet of
// shortcuts and the tooltips are made of it.
import type { Action } from './actions';
import type { Appearance } from './backend/shell';
import { type AnswerActionId, answerActionsOf } from './chat/answer-actions';
import { conversationActionsOf } from './chat/conversation-actions';
import { appearances } from './settings/settings.svelte';
import { views } from './views';
import type { MainWindow } from './window.svelte';

const always = () => true;

export function actionsOf(window: MainWindow): readonly Action[] {
  return [...ofChats(window), ...ofConversation(window), ...ofAnswer(window), ...ofModels(window), ...ofView(window), ...ofApp(window)];
}

function ofChats(window: MainWindow): Action[] {
  return [
    { id: 'newChat', title: 'New chat', menu: 'Chat', keys: ['n'], available: always, run: () => void window.newChat() },
    { id: 'composer', title: 'Write a message', menu: 'Chat', keys: ['l'], available: always, run: () => window.write() },
    { id: 'attach', title: 'Attach text files…', menu: 'Chat', keys: [], available: () => window.chat.target !== null, run: () => window.attach() },
    { id: 'instructions', title: 'Instructions', menu: 'Chat', keys: [], available: always, run: () => window.instruct('instructions') },
    { id: 'savePreset', title: 'Save as a preset…', menu: 'Chat', keys: [], available: always, run: () => window.instruct('preset') },
    { id: 'find', title: 'Search conversations', menu: 'Chat', keys: ['f'], available: always, run: () => (window.wanted = 'find') },
  ];
}

/** What can be done with the conversation on screen. */
function ofConversation(window: MainWindow): Action[] {
  const { conversations } = window.chat;
  const shown = () => (window.view === 'chat' ? conversations.find(window.chat.selected) : null);
  const actions = conversationActionsOf(window).flat();
  return actions.map(({ id, title, run }) => ({
    id,
    title,
    menu: 'Chat',
    keys: [],
    available: () => shown() !== null,
    run: () => {
      const conversation = shown();
      if (conversation) run(conversation);
    },
  }));
}

/** What can be done with the newest answer. */
function ofAnswer(window: MainWindow): Action[] {
  const { chat } = window;
  const all = Object.entries(answerActionsOf(window)).map(([id, { of, title, can, run }]): Action => {
    const newest = () => (window.view === 'chat' ? chat.thread.messages.findLast(({ author }) => author === of) : undefined);
    return {
      id: id as AnswerActionId,
      title,
      menu: 'Answer',
      keys: [],
      available: () => {
        const message = newest();
        return message !== undefined && can(message);
      },
      run: () => {
        const message = newest();
        if (!message) return;
        // Whatever comes of it stands there.
        chat.thread.ends += 1;
        run(message);
      },
    };
  });
  return [
    { id: 'stop', title: 'Stop the answer', menu: 'Answer', keys: ['.'], available: () => chat.running, run: () => void chat.stop() },
    { id: 'goOn', title: 'Continue the answer', menu: 'Answer', keys: [], available: () => chat.idle && chat.unfinished !== null, run: () => void chat.goOn() },
    ...all,
  ];
}

function ofModels(window: MainWindow): Action[] {
  return [
    { id: 'addFolder', title: 'Add a model folder…', menu: 'Models', keys: [], available: always, run: () => window.addModelFolder() },
    { id: 'getModel', title: 'Find a model to download…', menu: 'Models', keys: [], available: always, run: () => window.getModel() },
    { id: 'newComparison', title: 'New comparison…', menu: 'Models', keys: [], available: always, run: () => window.order('compare') },
    { id: 'newCalibration', title: 'New calibration…', menu: 'Models', keys: [], available: always, run: () => window.order('calibrate') },
    { id: 'newTraining', title: 'New training…', menu: 'Models', keys: [], available: always, run: () => window.order('train') },
  ];
}

function ofView(window: MainWindow): Action[] {
  const { chat, settings } = window;
  const provenance = () => window.view === 'chat';
  const wear = async (appearance: Appearance) => {
    await settings.wear(appearance);
    if (settings.refusal !== null) window.toasts.fail(settings.refusal);
  };
  return [
    { id: 'palette', title: 'Find anything…', menu: 'View', keys: ['k'], available: always, run: () => window.toggle('palette') },
    { id: 'provenance', title: 'Show or hide provenance', menu: 'View', keys: ['p'], available: provenance, run: () => void chat.toggleProvenance() },
    ...views
      .filter(({ view }) => view !== 'settings')
      .map(({ view, title, key }): Action => ({ id: view, title, menu: 'View', keys: [key], available: always, run: () => (window.view = view) })),
    ...appearances.map(({ value, label }): Action => ({
      id: value,
      title: `Appearance: ${label.toLowerCase()}`,
      menu: 'View',
      keys: [],
      available: always,
      run: () => void wear(value),
    })),
  ];
}

function ofApp(window: MainWindow): Action[] {
  return [
    { id: 'about', title: 'About Slipstream', menu: 'Slipstream', keys: [], available: always, run: () => window.about() },
    { id: 'settings', title: 'Settings…', menu: 'Slipstream', keys: [',', '6'], available: always, run: () => (window.view = 'settings') },
    { id: 'shortcuts', title: 'Keyboard shortcuts', menu: 'Help', keys: ['/'], available: always, run: () => window.toggle('shortcuts') },
  ];
}
