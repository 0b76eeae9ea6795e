import { type Backend, type HubStatus, sentence } from '../backend/backend';

/** How the Hub is reached: who asks, and whether it may be asked. */
export class Access {
  status = $state.raw<HubStatus | null>(null);
  failure = $state<string | null>(null);
  /** Why a token was not taken. */
  refusal = $state<string | null>(null);
  readonly #backend: Backend;

  constructor(backend: Backend) {
    this.#backend = backend;
  }

  load = () => this.#ask((backend) => backend.hubStatus());
  logOut = () => this.#ask((backend) => backend.logOut());
  setOffline = (offline: boolean) => this.#ask((backend) => backend.setOffline(offline));

  /** Whether the token was taken. */
  async logIn(token: string): Promise<boolean> {
    try {
      this.status = await this.#backend.logIn(token);
      this.refusal = null;
    } catch (reason) {
      this.refusal = sentence(reason);
    }
    return this.refusal === null;
  }

  async #ask(work: (backend: Backend) => Promise<HubStatus>): Promise<void> {
    try {
      this.status = await work(this.#backend);
      this.failure = null;
    } catch (reason) {
      this.failure = sentence(reason);
    }
  }
}
