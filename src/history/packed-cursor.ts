// Reads a packed block one observation at a time. Objects are built only on request.
import type { Observation, SeenOffer } from './observation.ts';
import {
  BOX_MASK,
  BOX_NOBODYS,
  BOX_PRICED,
  CATEGORY_CHANGED,
  COMPLETE,
  DamagedBlock,
  HAS_OFFERS,
  HAS_RANK,
  HOLDER_CHANGED,
  KIND_MASK,
  newSeller,
  REPRICED,
  SELLERS_CHANGED,
  type Seller,
  SHELF_MASK,
  startState,
  UNITS_UNKNOWN,
  unzigzag,
  VERSION,
} from './packed-block.ts';

/**
 * The fields describe the observation that the last `next` moved to, and change with every call.
 */
export class PackedCursor {
  readonly state = startState();
  /** undefined: the buybox was not observed. null: nobody holds it. */
  boxCents: number | null | undefined;
  #at = 0;
  readonly #bytes: Uint8Array;
  /** Observations read so far. */
  count = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    if (bytes.length === 0) return;
    if (bytes[0] !== VERSION) throw new DamagedBlock(`unknown version ${bytes[0]}`);
    this.#at = 1;
    this.state.atSeconds = this.#number();
    this.state.stepSeconds = this.#number();
    this.state.atSeconds -= this.state.stepSeconds;
  }

  next(): boolean {
    if (this.#at >= this.#bytes.length) return false;
    const { state } = this;
    // Most observations of a box stream are nothing but a time, in one byte.
    const first = this.#bytes[this.#at] as number;
    if (first < 0x80 && (first & 1) === 1 && (state.kind & SHELF_MASK) === 0) {
      this.#at++;
      const off = first >> 1;
      state.atSeconds += state.stepSeconds + ((off & 1) === 1 ? -((off + 1) >> 1) : off >> 1);
      this.count++;
      return true;
    }
    const head = this.#number();
    const same = head % 2 === 1;
    state.atSeconds += state.stepSeconds + unzigzag((head - (same ? 1 : 0)) / 2);
    const flags = same ? state.kind : this.#byte();
    if (!same) state.kind = flags & KIND_MASK;
    const box = flags & BOX_MASK;
    if (box === BOX_PRICED) {
      if (!same) {
        state.priceCents += unzigzag(this.#number());
        if ((flags & HOLDER_CHANGED) !== 0) state.holder = this.#name();
      }
      this.boxCents = state.priceCents;
    } else {
      this.boxCents = box === BOX_NOBODYS ? null : undefined;
    }
    if ((flags & HAS_RANK) !== 0) this.#rank(flags);
    if ((flags & HAS_OFFERS) !== 0) this.#offers(flags);
    this.count++;
    return true;
  }

  /** The current observation as an object that later calls do not change. */
  observation(): Observation {
    const { state } = this;
    const hasOffers = (state.kind & HAS_OFFERS) !== 0;
    return {
      atSeconds: state.atSeconds,
      buybox:
        this.boxCents === undefined || this.boxCents === null
          ? this.boxCents
          : { priceCents: this.boxCents, sellerName: this.#nameOf(state.holder) },
      rank:
        (state.kind & HAS_RANK) === 0
          ? undefined
          : { position: state.rankPosition, category: this.#nameOf(state.rankCategory) ?? '' },
      offers: hasOffers ? state.roster.map((number) => this.#offer(number)) : undefined,
      offersComplete: (state.kind & COMPLETE) !== 0,
    };
  }

  #rank(flags: number): void {
    this.state.rankPosition += unzigzag(this.#number());
    if ((flags & CATEGORY_CHANGED) !== 0) this.state.rankCategory = this.#name();
  }

  #offers(flags: number): void {
    const { state } = this;
    if ((flags & SELLERS_CHANGED) !== 0) {
      const count = this.#number();
      if (count > this.#bytes.length) throw new DamagedBlock(`${count} sellers`);
      state.roster = Array.from({ length: count }, () => this.#name());
    }
    for (const number of state.roster) {
      const seller = this.#seller(number);
      const packed = this.#number();
      const kind = packed % 4;
      if ((kind & REPRICED) !== 0) {
        seller.priceCents += unzigzag(this.#number());
        seller.shippingCents += unzigzag(this.#number());
      }
      seller.unknown = (kind & UNITS_UNKNOWN) !== 0;
      if (!seller.unknown) seller.units += unzigzag((packed - kind) / 4);
    }
  }

  #offer(number: number): SeenOffer {
    const { name, priceCents, shippingCents, units, unknown } = this.#seller(number);
    return { sellerName: name, priceCents, shippingCents, unitsInStock: unknown ? null : units };
  }

  #seller(number: number): Seller {
    const seller = this.state.names[number - 1];
    if (seller === undefined) throw new DamagedBlock(`no name ${number}`);
    return seller;
  }

  #nameOf(number: number): string | null {
    return number === 0 ? null : this.#seller(number).name;
  }

  #name(): number {
    const number = this.#number();
    const { names } = this.state;
    if (number <= names.length) return number;
    const length = this.#number();
    const end = this.#at + length;
    if (number !== names.length + 1 || end > this.#bytes.length) {
      throw new DamagedBlock(`name ${number} of ${length} bytes`);
    }
    const name = Buffer.from(this.#bytes.buffer, this.#bytes.byteOffset + this.#at, length);
    names.push(newSeller(name.toString()));
    this.#at = end;
    return number;
  }

  #byte(): number {
    const byte = this.#bytes[this.#at++];
    if (byte === undefined) throw new DamagedBlock('cut short');
    return byte;
  }

  #number(): number {
    const first = this.#byte();
    if (first < 0x80) return first;
    let value = first & 0x7f;
    let scale = 0x80;
    for (;;) {
      const byte = this.#byte();
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
      scale *= 0x80;
      if (scale > 2 ** 49) throw new DamagedBlock('a number too large');
    }
  }
}
