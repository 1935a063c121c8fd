// What one connection may have under way: so many requests, so many bytes that its client has not read. Above that it is
// not read from; a client that reads nothing for long is cut off. Node bounds neither within the 64 KB of one read, in
// which there is room for thousands of requests.
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
  /** A listener for requests that keeps to the bounds of their connection. */
  bounded(listener: RequestListener): RequestListener;
  /** Looks after the connections of a server until it closes. */
  watch(server: Server): Server;
  /**
   * Calls when every request that was read from a connection has its response, and reads no more from it: what follows
   * them on the wire may be refused only after them, since they may have been charged.
   */
  afterResponses(socket: Socket, act: () => void): void;
};

/** The flag by which Node itself stops reading from a connection whose responses are not read, and its parser. */
type HttpSocket = Socket & {
  _paused?: boolean;
  _handle?: { bytesWritten?: number; writeQueueSize?: number } | null;
  parser?: { resume(): void } | null;
};

type Waiting = { request: IncomingMessage; response: ServerResponse; listener: RequestListener };

type Connection = {
  socket: HttpSocket;
  /** Handed on and not finished, in the order in which they were asked. */
  active: ServerResponse[];
  /** Read, but not handed on yet. */
  waiting: Waiting[];
  /** Whether it is not read from because requests wait. */
  isHeld: boolean;
  /** Whether those that wait are to be looked at. */
  isNext: boolean;
  /** To be called once all that was read has its response. */
  onResponse: (() => void) | null;
  /** How far the client had read when it was last looked at, and since when. */
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
      ...{ socket, active: [], waiting: [], isHeld: false, isNext: false },
      ...{ onResponse: null, sentMark: -1, sentSinceMs: 0 },
    };
    connections.set(socket, connection);
    socket.once('close', () => forget(connection));
    // Node reads again as soon as something was sent, whoever has stopped it.
    socket.on('drain', () => {
      if (connection.isHeld) stopReading(connection);
    });
    return connection;
  };

  const start = (connection: Connection, { request, response, listener }: Waiting) => {
    connection.active.push(response);
    response.once('close', () => {
      const at = connection.active.indexOf(response);
      if (at >= 0) connection.active.splice(at, 1);
      if (connection.onResponse !== null && isResponded(connection)) connection.onResponse();
      if (connection.waiting.length === 0 || connection.isNext) return;
      // After whatever else has come in: one that has sent thousands ahead takes its turn with the others.
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
    const isOver = connection.onResponse !== null;
    if (connection.isHeld && connection.waiting.length === 0 && !isOver) readAgain(connection);
  };

  const admit = (one: Waiting) => {
    const { socket } = one.request;
    const connection = connections.get(socket) ?? add(socket);
    // Cut off within this read, whose other requests Node still hands on.
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
      const observation = () => sweep(connections.values(), limits);
      server.once('listening', () => {
        const timer = setInterval(observation, limits.connectionsSweepMs).unref();
        server.once('close', () => clearInterval(timer));
      });
      // A client that has said all it wants to say may still read: its requests are responded to.
      (server as HalfOpenServer).httpAllowHalfOpen = true;
      return server;
    },
    afterResponses(socket, act) {
      const connection = connections.get(socket);
      if (connection === undefined || isResponded(connection)) return act();
      if (connection.onResponse !== null) return;
      connection.onResponse = () => {
        act();
        // Read again, or it would never be noticed that the client has closed its side.
        readAgain(connection);
      };
      connection.isHeld = true;
      stopReading(connection);
    },
  };
}

/** Without it Node drops the responses under way as soon as the client has closed its side. */
type HalfOpenServer = Server & { httpAllowHalfOpen: boolean };

const isResponded = ({ active, waiting }: Connection) => active.length + waiting.length === 0;

function stopReading({ socket }: Connection): void {
  socket._paused = true;
  socket.pause();
}

function readAgain(connection: Connection): void {
  const { socket } = connection;
  connection.isHeld = false;
  // Node has a reason of its own to wait, and goes on by itself when it is gone.
  if (socket.writableNeedDrain || socket.destroyed) return;
  socket._paused = false;
  socket.parser?.resume();
  socket.resume();
}

/** What is written to the connection, and what its later responses keep until it is their turn. */
function unsentBytes({ socket, active }: Connection): number {
  let bytes = socket.writableLength;
  for (const response of active) if (response.socket === null) bytes += response.writableLength;
  return bytes;
}

/** Cuts off who reads nothing; and the worst of all where all together are too much. */
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

/** What the machine has taken over: large writes count as they leave, and what only waits in our queues does not. */
function sentBytes(socket: HttpSocket): number {
  const { bytesWritten, writeQueueSize } = socket._handle ?? {};
  return bytesWritten === undefined || writeQueueSize === undefined
    ? socket.bytesWritten - socket.writableLength
    : bytesWritten - writeQueueSize;
}
