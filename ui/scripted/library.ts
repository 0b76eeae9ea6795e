// The half of the scripted backend that is about files, downloads and the Hub.
import type {
  Backend,
  CataloguePair,
  Check,
  Checked,
  Checking,
  Discovered,
  Download,
  FilesProof,
  Got,
  HubStatus,
  InPlace,
  MissingFiles,
  Model,
  Offer,
  Trashed,
  Wanted,
  Work,
} from '../src/lib/backend/backend';

export class ScriptedLibrary {
  registered: Model[] = [];
  /** How many of them come at a time. */
  perPage = 1000;
  /** The ids of those that cannot be read. */
  damaged: string[] = [];
  trashed: Trashed[] = [];
  /** Drafters that only this target uses, by its id. */
  onlyUsedBy = new Map<string, Model[]>();
  missing = new Map<string, string[]>();
  /** Whose files were looked for, question by question. */
  looked: string[][] = [];
  proof: FilesProof = { holds: true, sentence: 'All 3 files are what their hashes say.', faulty: [] };
  /** Tells how far the check is that runs. */
  checking: (checking: Checking) => void = () => {};
  /** Ends it; without this, one ends at once. */
  checked: Promise<void> = Promise.resolve();
  checksThatRun: Check[] = [];
  #stopped: () => void = () => {};
  elsewhere: InPlace[] = [];
  jobs: Download[] = [];
  pairs: CataloguePair[] = [];
  /** What the Hub has, by what is asked for; a search waits for its promise. */
  pages = new Map<string, Discovered | Promise<Discovered>>();
  searches: { text: string; wanted: Wanted; cursor: string | null }[] = [];
  offers = new Map<string, Offer>();
  opened: string[] = [];
  status: HubStatus = { endpoint: 'https://huggingface.co/', offline: false, keptOffline: false, token: 'none', noKeychain: null };
  tokens: string[] = [];
  /** Commands that reject, with their sentence. */
  failing = new Map<keyof Backend, string | Error>();
  #listeners: ((downloads: Download[]) => void)[] = [];

  async removeModel(id: string): Promise<void> {
    this.answer('removeModel', null);
    this.damaged = this.damaged.filter((other) => other !== id);
    const model = this.registered.find((other) => other.id === id);
    if (!model) return;
    this.registered = this.registered.filter((other) => other !== model);
    this.trashed = [{ model, until: Date.now() + 7 * 86_400_000 }, ...this.trashed];
  }

  orphans = async (id: string) => this.answer('orphans', this.onlyUsedBy.get(id) ?? []);

  async missingFiles(ids: string[]): Promise<MissingFiles[]> {
    this.looked.push(ids);
    return this.answer('missingFiles', ids.map((model) => ({ model, files: this.missing.get(model) ?? [] })));
  }

  async checkFiles(_: string, work: Work, onChecking: (checking: Checking) => void): Promise<Checked | null> {
    this.checking = onChecking;
    const stopped = new Promise<boolean>((resolve) => (this.#stopped = () => resolve(true)));
    if (await Promise.race([this.checked.then(() => false), stopped])) return null;
    this.answer('checkFiles', null);
    if (work === 'verify') return { kind: 'verified', proof: structuredClone(this.proof) };
    return { kind: 'repaired', download: this.proof.holds ? null : structuredClone(this.jobs.at(-1)!) };
  }

  runningChecks = async () => this.answer('runningChecks', this.checksThatRun);

  async stopChecking(): Promise<void> {
    this.answer('stopChecking', null);
    this.#stopped();
  }

  trash = async () => this.answer('trash', this.trashed);

  async restoreModel(id: string): Promise<Model> {
    const { model } = this.trashed.find((other) => other.model.id === id)!;
    this.answer('restoreModel', null);
    this.trashed = this.trashed.filter((other) => other.model !== model);
    this.registered = [...this.registered, model];
    return structuredClone(model);
  }

  async emptyTrash(): Promise<number> {
    const freed = this.answer('emptyTrash', this.trashed).reduce((sum, { model }) => sum + model.bytes, 0);
    this.trashed = [];
    return freed;
  }

  found = async () => this.answer('found', this.elsewhere);

  async watchDownloads(onList: (downloads: Download[]) => void): Promise<void> {
    onList(this.answer('watchDownloads', this.jobs));
    this.#listeners.push(onList);
  }

  /** Lets the downloads stand like this from now on. */
  list(jobs: Download[]): void {
    this.jobs = jobs;
    for (const listener of this.#listeners) listener(structuredClone(jobs));
  }

  pauseDownload = async (id: number) => this.#become('pauseDownload', id, 'paused');
  resumeDownload = async (id: number) => this.#become('resumeDownload', id, 'queued');
  cancelDownload = async (id: number) => this.#become('cancelDownload', id, 'cancelled');

  async forgetDownload(id: number): Promise<void> {
    this.answer('forgetDownload', null);
    this.list(this.jobs.filter((job) => job.id !== id));
  }

  catalogue = async () => this.answer('catalogue', this.pairs);

  async discover(text: string, wanted: Wanted, cursor: string | null): Promise<Discovered> {
    this.searches.push({ text, wanted, cursor });
    this.answer('discover', null);
    return structuredClone(await (this.pages.get(cursor ?? text) ?? { hits: [], next: null }));
  }

  async offer(repo: string): Promise<Offer> {
    this.answer('offer', null);
    const offer = this.offers.get(repo);
    if (!offer) throw new Error(`The Hub has no repo ${repo}.`);
    return structuredClone(offer);
  }

  async get(repo: string, commit: string, copy: boolean): Promise<Got> {
    this.answer('get', null);
    const { bytes, here } = this.offers.get(repo)!;
    const model = this.registered.find(({ id }) => id === here?.model);
    if (model && !copy) return { kind: 'installed', model };
    const rest = { reason: null, code: null, phase: null, rate: null, remainingSeconds: null, model: null };
    const download: Download = { id: this.jobs.length + 1, repo, commit, state: 'queued', total: bytes, arrived: 0, ...rest };
    this.list([...this.jobs, download]);
    return { kind: 'coming', download };
  }

  async openPage(repo: string): Promise<void> {
    this.answer('openPage', null);
    this.opened.push(repo);
  }

  async openLink(address: string): Promise<void> {
    this.answer('openLink', null);
    this.opened.push(address);
  }

  hubStatus = async () => this.answer('hubStatus', this.status);

  async logIn(token: string): Promise<HubStatus> {
    this.answer('logIn', null);
    this.tokens.push(token);
    this.status = { ...this.status, token: 'keychain' };
    return this.status;
  }

  async logOut(): Promise<HubStatus> {
    this.status = { ...this.answer('logOut', this.status), token: 'none' };
    return this.status;
  }

  async setOffline(offline: boolean): Promise<HubStatus> {
    this.status = { ...this.answer('setOffline', this.status), offline };
    return this.status;
  }

  async #become(command: keyof Backend, id: number, state: Download['state']): Promise<Download> {
    this.answer(command, null);
    this.list(this.jobs.map((job) => (job.id === id ? { ...job, state, reason: null, code: null, phase: null, rate: null } : job)));
    return structuredClone(this.jobs.find((job) => job.id === id)!);
  }

  protected answer<T>(command: keyof Backend, value: T): T {
    const reason = this.failing.get(command);
    if (reason !== undefined) throw reason instanceof Error ? reason : new Error(reason);
    return structuredClone(value);
  }
}
