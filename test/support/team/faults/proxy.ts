import { connect, createServer, type Server, type Socket } from 'node:net';

/** What happens to connections: `hang`: open ones stop delivering, without an error. */
type Mode = { readonly kind: 'open' | 'cut' | 'hang' } | { readonly kind: 'slow'; readonly ms: number };

/** A network between a machine and the database, on loopback, that can fail. */
export class FaultyNetwork {
  readonly #server: Server;
  readonly #pairs = new Set<readonly [Socket, Socket]>();
  readonly #late = new Set<{ readonly timer: NodeJS.Timeout; readonly deliver: () => void }>();
  #mode: Mode = { kind: 'open' };

  private constructor(server: Server) {
    this.#server = server;
  }

  static async open(target: number): Promise<FaultyNetwork> {
    const server = createServer();
    const network = new FaultyNetwork(server);
    server.on('connection', (socket) => network.#join(socket, target));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return network;
  }

  get port(): number {
    const address = this.#server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  }

  set(mode: Mode): void {
    // What hung stays lost: only new connections work again.
    this.#mode = mode;
    for (const pair of this.#pairs)
      if (mode.kind !== 'hang' && pair.some(({ destroyed }) => destroyed)) this.#end(pair);
    if (mode.kind === 'cut') this.#drop();
    if (mode.kind !== 'slow') for (const { deliver } of [...this.#late]) deliver();
  }

  async close(): Promise<void> {
    this.set({ kind: 'cut' });
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #drop(): void {
    for (const pair of this.#pairs) this.#end(pair);
  }

  #end(pair: readonly [Socket, Socket]): void {
    this.#pairs.delete(pair);
    for (const socket of pair) socket.destroy();
  }

  #join(client: Socket, port: number): void {
    if (this.#mode.kind === 'cut') {
      client.destroy();
      return;
    }
    const server = connect(port, '127.0.0.1');
    const pair = [client, server] as const;
    this.#pairs.add(pair);
    const state = { hangs: false };
    const end = (): void => {
      // The other side of a half-open connection is not told.
      if (this.#mode.kind !== 'hang') this.#end(pair);
    };
    for (const [from, to] of [pair, [server, client] as const]) {
      from.on('error', end);
      from.on('close', end);
      from.on('data', (bytes) => {
        state.hangs ||= this.#mode.kind === 'hang';
        if (state.hangs || to.destroyed) return;
        if (this.#mode.kind === 'slow') this.#later(() => to.destroyed || to.write(bytes), this.#mode.ms);
        else to.write(bytes);
      });
    }
  }

  #later(write: () => void, ms: number): void {
    const chunk = {
      timer: setTimeout(() => chunk.deliver(), ms),
      deliver: (): void => {
        clearTimeout(chunk.timer);
        if (this.#late.delete(chunk)) write();
      },
    };
    this.#late.add(chunk);
  }
}
