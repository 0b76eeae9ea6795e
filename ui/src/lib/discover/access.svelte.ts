import { type Backend, type HubStatus, sentence } from '../backend/backend';

/** How the Hub is reached: who asks, and whether it may be asked. */
export class Access {
  status = $state.raw<HubStatus | null>(null);
  failure = $state<string | null>(null);
  readonly #backend: Backend;

  constructor(backend: Backend) {
    this.#backend = backend;
  }

  load = () => this.#ask((backend) => backend.hubStatus());
  /** Whether the token was taken. */
  logIn = (token: string) => this.#ask((backend) => backend.logIn(token));
  logOut = () => this.#ask((backend) => backend.logOut());
  setOffline = (offline: boolean) => this.#ask((backend) => backend.setOffline(offline));

  async #ask(work: (backend: Backend) => Promise<HubStatus>): Promise<boolean> {
    try {
      this.status = await work(this.#backend);
      this.failure = null;
      return true;
    } catch (reason) {
      this.failure = sentence(reason);
      return false;
    }
  }
}
