// A shop whose pages tell of products as shops tell search engines: what a page shows of a snapshot, as
// JSON-LD, and no more.
import type { Buybox, Offer, Snapshot } from '../../src/catalog/snapshot.ts';
import { dollars } from '../../src/foundation/money.ts';
import { type Provider, startProvider } from './provider.ts';

/** Pages at /ip/{code}; `look` is what the shop has now, null for what it does not sell. */
export async function startShop(observation: (code: string) => Snapshot | null): Promise<Provider> {
  const shop = await startProvider();
  shop.answer = ({ url }, response) => {
    const snapshot = observation(url.split('/').at(-1) ?? '');
    response.writeHead(snapshot === null ? 404 : 200, {
      'content-type': 'text/html; charset=utf-8',
    });
    response.end(snapshot === null ? '' : productPage(snapshot));
  };
  return shop;
}

/**
 * What a look at a page can tell of what a look at the marketplace would: of the offers the one in the
 * box, with its units unknown; no rank, no weight, and nothing that could be concluded from absence.
 */
export function seenOnPage(whole: Snapshot): Snapshot {
  const { code, observedAtMs, gtins, brand, name, categories } = whole;
  const { buybox = null, customerRating, reviewCount } = whole;
  const offers = boxOffers(whole).map((offer) => ({
    ...offer,
    unitsInStock: null,
    lastUpdatedAtMs: null,
  }));
  return {
    ...{ code, observedAtMs, gtins, brand, name, categories, buybox, customerRating, reviewCount },
    ...{ offers: offers.length === 0 ? undefined : offers, offersComplete: false },
    ...{ rank: undefined, shippingWeightLb: undefined, sellerType: undefined },
  };
}

function boxOffers({ buybox, offers = [] }: Snapshot): Offer[] {
  return offers.filter((offer) => offer.sellerName === buybox?.sellerName);
}

function productPage(snapshot: Snapshot): string {
  const { code: sku, name, brand, buybox, customerRating, reviewCount } = snapshot;
  const product = {
    '@context': 'https://schema.org',
    '@type': 'Product',
    ...{ sku, name, brand: { '@type': 'Brand', name: brand } },
    gtin13: snapshot.gtins[0]?.slice(1),
    offers: buybox ? inBox(buybox, boxOffers(snapshot)[0]) : SOLD_OUT,
    aggregateRating: customerRating && {
      '@type': 'AggregateRating',
      ratingValue: String(customerRating),
      reviewCount,
    },
  };
  const crumbs = {
    '@context': 'https://schema.org',
    '@type': 'BreadcrumbList',
    itemListElement: snapshot.categories?.map((category, index) => ({
      ...{ '@type': 'ListItem', position: index + 1, name: category },
    })),
  };
  return `<!doctype html><html><head>${script(product)}${script(crumbs)}</head><body></body></html>`;
}

const SOLD_OUT = { '@type': 'Offer', availability: 'https://schema.org/OutOfStock' };

function inBox({ priceCents, sellerName }: Buybox, offer: Offer | undefined) {
  const shippingRate = {
    ...{ '@type': 'MonetaryAmount', currency: 'USD' },
    value: dollars(offer?.shippingCents ?? 0),
  };
  return {
    '@type': 'Offer',
    ...{ price: dollars(priceCents).toFixed(2), priceCurrency: 'USD' },
    availability: 'https://schema.org/InStock',
    seller: { '@type': 'Organization', name: sellerName },
    shippingDetails: { '@type': 'OfferShippingDetails', shippingRate },
  };
}

// A "<" would end the script in the middle of a name.
const script = (value: unknown) =>
  `<script type="application/ld+json">${JSON.stringify(value).replaceAll('<', '\\u003c')}</script>`;
