// Limits the requests in progress and the unread response bytes of one connection. Above a limit
// the server stops reading from the connection; a client that reads nothing for too long is
// disconnected. Node limits neither within one 64 KB read, which can hold thousands of requests.
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { bounds } from '../foundation/bounds.ts';
import { monotonicMs } from '../foundation/clock.ts';

export type ConnectionLimits = Readonly<
  Record<
    | 'connectionRequestsMax'
    | 'connectionUnsentBytesMax'
    | 'connectionUnreadMaxMs'
    | 'connectionsSweepMs'
    | 'pipelinedRequestsMax'
    | 'pipelinedTotalMax'
    | 'unsentBytesTotalMax',
    number
  >
>;

export type ConnectionBounds = {
  /** Wraps a request listener so that it respects the limits of each connection. */
  bounded(listener: RequestListener): RequestListener;
  /** Sweeps the connections of a server at an interval until the server closes. */
  watch(server: Server): Server;
  /**
   * Stops reading from a connection and calls `act` once every request read from it has its
   * response. Whatever follows on the wire may be refused only then: those requests may have been
   * charged.
   */
  afterResponses(socket: Socket, act: () => void): void;
};

/** Node's internal parser, and the flag that stops Node from reading when responses pile up. */
type HttpSocket = Socket & {
  _paused?: boolean;
  _handle?: { bytesWritten?: number; writeQueueSize?: number } | null;
  parser?: { resume(): void } | null;
};

type Waiting = { request: IncomingMessage; response: ServerResponse; listener: RequestListener };

type Connection = {
  socket: HttpSocket;
  /** Responses in progress, in the order of their requests. */
  active: ServerResponse[];
  /** Requests read but not passed to the listener yet. */
  waiting: Waiting[];
  /** True while reading is stopped because requests wait. */
  isHeld: boolean;
  /** True while a run of `startWaiting` is scheduled. */
  isNext: boolean;
  /** Called once every request read from the connection has its response. */
  onResponse: (() => void) | null;
  /** Bytes sent at the last sweep, and when that number last changed. */
  sentMark: number;
  sentSinceMs: number;
};

export function createConnectionBounds(limits: ConnectionLimits = bounds): ConnectionBounds {
  const connections = new Map<Socket, Connection>();
  let waitingTotal = 0;

  const forget = (connection: Connection) => {
    connections.delete(connection.socket);
    waitingTotal -= connection.waiting.length;
    connection.waiting = [];
  };
  const add = (socket: HttpSocket): Connection => {
    const connection: Connection = {
      socket,
      active: [],
      waiting: [],
      isHeld: false,
      isNext: false,
      onResponse: null,
      sentMark: -1,
      sentSinceMs: 0,
    };
    connections.set(socket, connection);
    socket.once('close', () => forget(connection));
    // Node resumes reading on every drain, even when reading was stopped here.
    socket.on('drain', () => {
      if (connection.isHeld) stopReading(connection);
    });
    return connection;
  };

  const start = (connection: Connection, { request, response, listener }: Waiting) => {
    connection.active.push(response);
    response.once('close', () => {
      const index = connection.active.indexOf(response);
      if (index >= 0) connection.active.splice(index, 1);
      if (connection.onResponse !== null && isResponded(connection)) connection.onResponse();
      if (connection.waiting.length === 0 || connection.isNext) return;
      // Other connections go first: one that pipelined thousands of requests must wait its turn.
      connection.isNext = true;
      setImmediate(startWaiting, connection);
    });
    listener(request, response);
  };
  const hasRoom = (connection: Connection) =>
    connection.active.length === 0 ||
    (connection.active.length < limits.connectionRequestsMax &&
      unsentBytes(connection) < limits.connectionUnsentBytesMax);
  const startWaiting = (connection: Connection) => {
    connection.isNext = false;
    while (hasRoom(connection)) {
      const next = connection.waiting.shift();
      if (next === undefined) break;
      waitingTotal--;
      start(connection, next);
    }
    const isEnding = connection.onResponse !== null;
    if (connection.isHeld && connection.waiting.length === 0 && !isEnding) readAgain(connection);
  };

  const admit = (one: Waiting) => {
    const { socket } = one.request;
    const connection = connections.get(socket) ?? add(socket);
    // Node still emits the other requests of a read whose connection was destroyed.
    if (socket.destroyed) return;
    if (connection.waiting.length === 0 && hasRoom(connection)) {
      start(connection, one);
      return;
    }
    const { pipelinedRequestsMax, pipelinedTotalMax } = limits;
    if (connection.waiting.length >= pipelinedRequestsMax && waitingTotal >= pipelinedTotalMax) {
      forget(connection);
      socket.destroy();
      return;
    }
    connection.waiting.push(one);
    waitingTotal++;
    if (connection.isHeld) return;
    connection.isHeld = true;
    stopReading(connection);
  };

  return {
    bounded: (listener) => (request, response) => admit({ request, response, listener }),
    watch(server) {
      const sweepAll = () => sweep(connections.values(), limits);
      server.once('listening', () => {
        const timer = setInterval(sweepAll, limits.connectionsSweepMs).unref();
        server.once('close', () => clearInterval(timer));
      });
      // A client that has closed its sending side may still read its responses.
      (server as HalfOpenServer).httpAllowHalfOpen = true;
      return server;
    },
    afterResponses(socket, act) {
      const connection = connections.get(socket);
      if (connection === undefined || isResponded(connection)) return act();
      if (connection.onResponse !== null) return;
      connection.onResponse = () => {
        act();
        // Resume reading; otherwise the client's close would go unnoticed.
        readAgain(connection);
      };
      connection.isHeld = true;
      stopReading(connection);
    },
  };
}

/** Without this flag Node drops responses in progress when the client closes its sending side. */
type HalfOpenServer = Server & { httpAllowHalfOpen: boolean };

const isResponded = ({ active, waiting }: Connection) => active.length + waiting.length === 0;

function stopReading({ socket }: Connection): void {
  socket._paused = true;
  socket.pause();
}

function readAgain(connection: Connection): void {
  const { socket } = connection;
  connection.isHeld = false;
  // Node itself waits for a drain and resumes on its own.
  if (socket.writableNeedDrain || socket.destroyed) return;
  socket._paused = false;
  socket.parser?.resume();
  socket.resume();
}

/** Bytes queued on the socket, plus those buffered by responses that wait for earlier ones. */
function unsentBytes({ socket, active }: Connection): number {
  let bytes = socket.writableLength;
  for (const response of active) if (response.socket === null) bytes += response.writableLength;
  return bytes;
}

/** Destroys connections that read nothing, and the largest ones while the total is too high. */
function sweep(connections: Iterable<Connection>, limits: ConnectionLimits): void {
  const nowMs = monotonicMs();
  let total = 0;
  const unread: { connection: Connection; bytes: number }[] = [];
  for (const connection of connections) {
    const bytes = unsentBytes(connection);
    const mark = bytes === 0 ? -1 : sentBytes(connection.socket);
    if (mark === -1 || mark !== connection.sentMark) {
      connection.sentMark = mark;
      connection.sentSinceMs = nowMs;
    } else if (nowMs - connection.sentSinceMs >= limits.connectionUnreadMaxMs) {
      connection.socket.destroy();
      continue;
    }
    if (bytes === 0) continue;
    total += bytes;
    unread.push({ connection, bytes });
  }
  unread.sort((a, b) => b.bytes - a.bytes);
  for (const { connection, bytes } of unread) {
    if (total <= limits.unsentBytesTotalMax) return;
    connection.socket.destroy();
    total -= bytes;
  }
}

/** Bytes passed to the operating system, without those still queued in this process. */
function sentBytes(socket: HttpSocket): number {
  const { bytesWritten, writeQueueSize } = socket._handle ?? {};
  return bytesWritten === undefined || writeQueueSize === undefined
    ? socket.bytesWritten - socket.writableLength
    : bytesWritten - writeQueueSize;
}
