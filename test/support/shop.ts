// A shop whose product pages show a part of a snapshot as JSON-LD, as shops do for search engines.
import type { Buybox, Offer, Snapshot } from '../../src/catalog/snapshot.ts';
import { dollars } from '../../src/foundation/money.ts';
import { type Provider, startProvider } from './provider.ts';

/**
 * Serves pages at /ip/{code}; `currentSnapshot` returns null for products the shop does not sell.
 */
export async function startShop(
  currentSnapshot: (code: string) => Snapshot | null,
): Promise<Provider> {
  const shop = await startProvider();
  shop.respond = ({ url }, response) => {
    const snapshot = currentSnapshot(url.split('/').at(-1) ?? '');
    response.writeHead(snapshot === null ? 404 : 200, {
      'content-type': 'text/html; charset=utf-8',
    });
    response.end(snapshot === null ? '' : productPage(snapshot));
  };
  return shop;
}

/**
 * The part of a snapshot that a page shows: of the offers only the buybox holder's, with unknown
 * units; no rank, no weight, and no complete list.
 */
export function visibleOnPage(whole: Snapshot): Snapshot {
  const { code, observedAtMs, gtins, brand, name, categories } = whole;
  const { buybox = null, customerRating, reviewCount } = whole;
  const offers = boxOffers(whole).map((offer) => ({
    ...offer,
    unitsInStock: null,
    lastUpdatedAtMs: null,
  }));
  return {
    code,
    observedAtMs,
    gtins,
    brand,
    name,
    categories,
    buybox,
    customerRating,
    reviewCount,
    // Without a buybox the page says that the product is sold out, and names no seller.
    offers,
    offersComplete: false,
    rank: undefined,
    shippingWeightLb: undefined,
    sellerType: undefined,
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
    sku,
    name,
    brand: { '@type': 'Brand', name: brand },
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
      '@type': 'ListItem',
      position: index + 1,
      name: category,
    })),
  };
  return `<!doctype html><html><head>${script(product)}${script(crumbs)}</head><body></body></html>`;
}

const SOLD_OUT = { '@type': 'Offer', availability: 'https://schema.org/OutOfStock' };

function inBox({ priceCents, sellerName }: Buybox, offer: Offer | undefined) {
  const shippingRate = {
    '@type': 'MonetaryAmount',
    currency: 'USD',
    value: dollars(offer?.shippingCents ?? 0),
  };
  return {
    '@type': 'Offer',
    price: dollars(priceCents).toFixed(2),
    priceCurrency: 'USD',
    availability: 'https://schema.org/InStock',
    seller: { '@type': 'Organization', name: sellerName },
    shippingDetails: { '@type': 'OfferShippingDetails', shippingRate },
  };
}

// A "<" in a name could end the script element.
const script = (value: unknown) =>
  `<script type="application/ld+json">${JSON.stringify(value).replaceAll('<', '\\u003c')}</script>`;
