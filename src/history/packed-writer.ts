// Writes observations into a packed block, the reverse of packed-cursor.
import type { Observation, SeenOffer } from './observation.ts';
import {
  BOX_MASK,
  BOX_NOBODYS,
  BOX_NOT_SEEN,
  BOX_PRICED,
  CATEGORY_CHANGED,
  COMPLETE,
  HAS_OFFERS,
  HAS_RANK,
  HOLDER_CHANGED,
  KIND_MASK,
  newSeller,
  REPRICED,
  SELLERS_CHANGED,
  type Seller,
  type State,
  UNITS_UNKNOWN,
  VERSION,
  zigzag,
} from './packed-block.ts';

/** Appends observations to a block, or starts one. */
export class PackedWriter {
  readonly #state: State;
  readonly #numbers: Map<string, number>;
  #buffer = Buffer.allocUnsafe(256);
  #length = 0;

  constructor(state: State, start: { firstAtSeconds: number; stepSeconds: number } | null) {
    this.#state = state;
    this.#numbers = new Map(state.names.map(({ name }, index) => [name, index + 1]));
    if (start === null) return;
    this.#byte(VERSION);
    this.#number(start.firstAtSeconds);
    this.#number(start.stepSeconds);
    state.stepSeconds = start.stepSeconds;
    state.atSeconds = start.firstAtSeconds - start.stepSeconds;
  }

  bytes(): Buffer {
    return Buffer.from(this.#buffer.subarray(0, this.#length));
  }

  /** Adds the observation if the block stays within the limit. After false, add nothing more. */
  addWithin(bytesMax: number, observation: Observation): boolean {
    const before = this.#length;
    this.add(observation);
    if (this.#length <= bytesMax) return true;
    this.#length = before; // #state is not restored
    return false;
  }

  add(observation: Observation): void {
    const state = this.#state;
    const { flags, holder, category, rosterChanged } = this.#compare(observation);
    const box = flags & BOX_MASK;
    const same =
      flags === state.kind &&
      (box !== BOX_PRICED || observation.buybox?.priceCents === state.priceCents);
    const off = observation.atSeconds - state.atSeconds - state.stepSeconds;
    this.#number(zigzag(off) * 2 + (same ? 1 : 0));
    state.atSeconds = observation.atSeconds;
    if (!same) {
      this.#byte(flags);
      state.kind = flags & KIND_MASK;
      if (box === BOX_PRICED) {
        const cents = observation.buybox?.priceCents ?? 0;
        this.#number(zigzag(cents - state.priceCents));
        state.priceCents = cents;
        if ((flags & HOLDER_CHANGED) !== 0) state.holder = this.#name(holder);
      }
    }
    if (observation.rank !== undefined) {
      this.#number(zigzag(observation.rank.position - state.rankPosition));
      state.rankPosition = observation.rank.position;
      if ((flags & CATEGORY_CHANGED) !== 0) state.rankCategory = this.#name(category);
    }
    if (observation.offers !== undefined) this.#offers(observation.offers, rosterChanged);
  }

  /** The flags of an observation, compared with the one before. */
  #compare(observation: Observation) {
    const state = this.#state;
    const holder = observation.buybox?.sellerName ?? null;
    const category = observation.rank?.category ?? null;
    let flags = observation.buybox === undefined ? BOX_NOT_SEEN : BOX_NOBODYS;
    if (observation.buybox !== undefined && observation.buybox !== null) {
      flags = BOX_PRICED;
      if (!this.#isName(state.holder, holder)) flags |= HOLDER_CHANGED;
    }
    if (observation.rank !== undefined) {
      flags |= HAS_RANK;
      if (!this.#isName(state.rankCategory, category)) flags |= CATEGORY_CHANGED;
    }
    const { offers } = observation;
    let rosterChanged = false;
    if (offers !== undefined) {
      flags |= HAS_OFFERS | (observation.offersComplete ? COMPLETE : 0);
      rosterChanged =
        offers.length !== state.roster.length ||
        !offers.every((offer, index) => this.#isName(state.roster[index], offer.sellerName));
      if (rosterChanged) flags |= SELLERS_CHANGED;
    }
    return { flags, holder, category, rosterChanged };
  }

  #offers(offers: readonly SeenOffer[], rosterChanged: boolean): void {
    const state = this.#state;
    if (rosterChanged) {
      this.#number(offers.length);
      state.roster = offers.map((offer) => this.#name(offer.sellerName));
    }
    offers.forEach((offer, index) => {
      const seller = state.names[(state.roster[index] as number) - 1] as Seller;
      const { priceCents, shippingCents, unitsInStock } = offer;
      const repriced = priceCents !== seller.priceCents || shippingCents !== seller.shippingCents;
      const units = unitsInStock === null ? 0 : zigzag(unitsInStock - seller.units);
      const unknown = unitsInStock === null ? UNITS_UNKNOWN : 0;
      this.#number(units * 4 + unknown + (repriced ? REPRICED : 0));
      if (repriced) {
        this.#number(zigzag(priceCents - seller.priceCents));
        this.#number(zigzag(shippingCents - seller.shippingCents));
        seller.priceCents = priceCents;
        seller.shippingCents = shippingCents;
      }
      if (unitsInStock !== null) seller.units = unitsInStock;
    });
  }

  #isName(number: number | undefined, name: string | null): boolean {
    if (number === 0 || number === undefined) return number === 0 && name === null;
    return this.#state.names[number - 1]?.name === name;
  }

  #name(name: string | null): number {
    if (name === null) {
      this.#byte(0);
      return 0;
    }
    const number = this.#numbers.get(name);
    if (number !== undefined) {
      this.#number(number);
      return number;
    }
    const { names } = this.#state;
    names.push(newSeller(name));
    this.#numbers.set(name, names.length);
    this.#number(names.length);
    const bytes = Buffer.byteLength(name);
    this.#number(bytes);
    this.#reserve(bytes);
    this.#length += this.#buffer.write(name, this.#length);
    return names.length;
  }

  #byte(byte: number): void {
    this.#reserve(1);
    this.#buffer[this.#length++] = byte;
  }

  #number(value: number): void {
    this.#reserve(8);
    let rest = value;
    while (rest >= 0x80) {
      this.#buffer[this.#length++] = (rest % 0x80) + 0x80;
      rest = Math.floor(rest / 0x80);
    }
    this.#buffer[this.#length++] = rest;
  }

  #reserve(bytes: number): void {
    if (this.#length + bytes <= this.#buffer.length) return;
    const grown = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, this.#length + bytes));
    this.#buffer.copy(grown, 0, 0, this.#length);
    this.#buffer = grown;
  }
}
