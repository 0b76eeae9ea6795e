import { createContext } from 'svelte';
import { type Action, menusOf, perform } from './actions';
import { type Backend, type Calibrated, type Download, sentence } from './backend/backend';
import { Calibrations } from './calibrate/calibrations.svelte';
import { CalibrationForm } from './calibrate/form.svelte';
import { Chat } from './chat/chat.svelte';
import { Comparisons } from './compare/comparisons.svelte';
import { ComparisonForm } from './compare/form.svelte';
import { Access } from './discover/access.svelte';
import { Chosen } from './discover/chosen.svelte';
import { Discover } from './discover/discover.svelte';
import { Downloads } from './downloads/downloads.svelte';
import { Files } from './models/files.svelte';
import { focusOn, showing } from './focus';
import { BandwidthCeilings } from './inspector/ceilings.svelte';
import { FoundPlaces } from './models/found.svelte';
import { Models } from './models/models.svelte';
import { Trash } from './models/trash.svelte';
import { StoredPreferences } from './preferences.svelte';
import { actionsOf } from './registry';
import { Settings } from './settings/settings.svelte';
import { Search } from './sidebar/search.svelte';
import { Toasts } from './toasts/toasts.svelte';
import { TrainingForm } from './train/form.svelte';
import { Trainings } from './train/trainings.svelte';
import { type Shelf, type View, shelfOf, viewOf } from './views';

/** Everything the window shows, and where it stands. */
export class MainWindow {
  /** What takes the keyboard as soon as it is there. */
  wanted = $state<'composer' | 'instructions' | 'preset' | 'find' | 'folder' | 'search' | 'form' | 'about' | null>(null);
  /** What lies over the view. */
  sheet = $state<'palette' | 'shortcuts' | null>(null);
  started = $state(false);
  /** Whether anybody can see it: otherwise it rests. */
  seen = $state(!document.hidden);
  failure = $state<string | null>(null);

  readonly models: Models;
  readonly files: Files;
  readonly trash: Trash;
  readonly downloads: Downloads;
  readonly found: FoundPlaces;
  readonly discover: Discover;
  readonly chosen: Chosen;
  readonly access: Access;
  readonly preferences: StoredPreferences;
  readonly settings: Settings;
  readonly chat: Chat;
  readonly ceilings: BandwidthCeilings;
  readonly comparisons: Comparisons;
  readonly comparisonForm: ComparisonForm;
  readonly search: Search;
  readonly toasts = new Toasts();
  readonly calibrations: Calibrations;
  readonly calibrationForm: CalibrationForm;
  readonly trainings: Trainings;
  readonly trainingForm: TrainingForm;
  readonly actions: readonly Action[];
  /** Opens an address outside. */
  readonly openLink: (address: string) => Promise<void>;
  readonly #backend: Backend;

  constructor(backend: Backend) {
    this.#backend = backend;
    this.models = new Models(backend);
    this.files = new Files(backend, (download) => this.downloads.put(download));
    this.trash = new Trash(backend, this.models, this.files);
    this.downloads = new Downloads(backend, (jobs) => void this.ended(jobs));
    this.found = new FoundPlaces(backend);
    this.discover = new Discover(backend, this.models);
    this.chosen = new Chosen(backend);
    this.access = new Access(backend);
    this.preferences = new StoredPreferences(backend);
    this.settings = new Settings(backend);
    this.chat = new Chat(backend, this.models, this.preferences);
    this.ceilings = new BandwidthCeilings(backend);
    this.comparisons = new Comparisons(backend);
    this.comparisonForm = new ComparisonForm(backend, this.models, this.chat, this.comparisons);
    this.search = new Search(backend);
    this.calibrations = new Calibrations(backend);
    this.calibrationForm = new CalibrationForm(backend, this.models, this.chat, this.preferences, this.calibrations);
    this.trainings = new Trainings(backend, () => void this.models.load());
    this.trainingForm = new TrainingForm(backend, this.models, this.chat, this.trainings);
    this.actions = actionsOf(this);
    this.openLink = (address) => backend.openLink(address);
  }

  /** The window comes back where it was. */
  get view(): View {
    return viewOf(this.preferences.now.view);
  }

  set view(view: View) {
    this.preferences.change({ view });
  }

  /** The part of the models view. */
  get shelf(): Shelf {
    return shelfOf(this.preferences.now.shelf);
  }

  set shelf(shelf: Shelf) {
    this.preferences.change({ shelf });
  }

  async start(): Promise<void> {
    this.failure = null;
    this.look();
    // Without a menu everything is in the palette all the same.
    void this.#backend.showMenus(menusOf(this.actions), (id) => perform(this, id)).catch(() => {});
    try {
      await this.preferences.load();
    } catch (reason) {
      this.failure = sentence(reason);
      return;
    }
    this.started = true;
    const jobs = [this.downloads, this.comparisons, this.calibrations, this.trainings];
    const watching = [...jobs.map((each) => each.watch()), this.files.resume()];
    await Promise.all([this.models.load(), this.chat.conversations.load(), ...watching]);
    await this.chat.resume();
    if (this.view === 'chat') this.wanted = 'composer';
  }

  /** Looks whether anybody can see it. */
  look(): void {
    this.seen = !document.hidden;
    void this.#backend.seen(this.seen).catch(() => {});
  }

  /** Lets the menu offer what can be done now, and nothing else. */
  offer(): void {
    const ids = this.actions.filter(({ available }) => available()).map(({ id }) => id);
    void this.#backend.enableActions(ids).catch(() => {});
  }

  /** Lays something over the view, or takes it away. */
  toggle(sheet: 'palette' | 'shortcuts'): void {
    this.sheet = this.sheet === sheet ? null : sheet;
  }

  about(): void {
    this.view = 'settings';
    this.wanted = 'about';
  }

  write(): void {
    this.view = 'chat';
    this.wanted = 'composer';
  }

  /** Leads to what the target is told, or to the name of a preset of it. */
  instruct(wanted: 'instructions' | 'preset'): void {
    this.view = 'chat';
    this.wanted = wanted;
  }

  attach(): void {
    this.write();
    void this.chat.attach();
  }

  async newChat(): Promise<void> {
    this.write();
    await this.chat.select(null);
  }

  /** Begins a chat with this pair. */
  async chatWith(target: string, drafter: string): Promise<void> {
    await this.newChat();
    this.chat.pick({ target, drafter });
  }

  /** Leads to the calibration of this pair, or else to the form for one. */
  async calibrate(pair: Calibrated): Promise<void> {
    const standing = await this.calibrations.stand(pair);
    const id = standing?.kind === 'inForce' || standing?.kind === 'notApplied' ? standing.id : null;
    this.calibrationForm.pick(pair);
    if (id === null) return this.order('calibrate');
    this.view = 'calibrate';
    this.calibrationForm.open = false;
    this.calibrations.show(id, true);
    await focusOn(showing('job', id));
  }

  /** Leads to the form for a new comparison, calibration or training. */
  order(view: 'compare' | 'calibrate' | 'train'): void {
    const forms = { compare: this.comparisonForm, calibrate: this.calibrationForm, train: this.trainingForm };
    this.view = view;
    forms[view].open = true;
    this.wanted = 'form';
  }

  /** Adds the models that come with the app, and begins a chat with them. */
  async useDemo(): Promise<void> {
    const [target, drafter] = await this.models.addDemo();
    if (target && drafter) await this.chatWith(target.id, drafter.id);
  }

  /** Shows a conversation, to go on with it, or to read a message of it. */
  async openConversation(id: number, message: number | null = null): Promise<void> {
    if (message === null) this.write();
    else this.view = 'chat';
    await this.chat.select(id, message);
  }

  addModelFolder(): void {
    this.view = 'models';
    this.shelf = 'here';
    this.wanted = 'folder';
  }

  /** Leads to where models come from. */
  getModel(): void {
    this.view = 'models';
    this.shelf = 'discover';
    this.chosen.close();
    this.wanted = 'search';
  }

  /** Gets what is offered: on this machine it is in the list at once, otherwise a download brings it. */
  async get(copy: boolean): Promise<void> {
    const got = await this.chosen.get(copy);
    if (got?.kind === 'coming') this.downloads.put(got.download);
    if (got?.kind !== 'installed') return;
    this.models.put(got.model);
    this.modelAdded(got.model.id);
    await this.chosen.again();
  }

  /** Downloads are over: some may have become models, or have put one right. */
  async ended(jobs: Download[]): Promise<void> {
    for (const { id } of jobs) this.files.ended(id);
    if (jobs.some(({ repo }) => repo === this.chosen.offer?.repo)) void this.chosen.again();
    const done = jobs.filter(({ state }) => state === 'done');
    if (done.length === 0) return;
    await this.models.load();
    void this.files.look(done.flatMap(({ model }) => model ?? []));
    const [target, ...others] = this.models.targets;
    if (target && others.length === 0) this.modelAdded(target.id);
  }

  /** The first target is picked by itself: there is no other choice to make. */
  modelAdded(id: string): void {
    const model = this.models.find(id);
    if (model?.role === 'target' && !this.chat.target) this.preferences.change({ target: id });
  }
}

export const [mainWindow, provideMainWindow] = createContext<MainWindow>();
