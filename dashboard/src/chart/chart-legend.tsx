// What the shades and marks of the chart mean; only those that it can show.
import type { Scene } from './chart-model.ts';

export function ChartLegend({ scene }: { scene: Scene }) {
  const entries = [
    ...(scene.suppressed.length > 0 ? [{ name: 'No buybox', mark: 'chart-suppressed' }] : []),
    ...(scene.unobserved.length > 0 ? [{ name: 'Not observed', mark: 'chart-unobserved' }] : []),
  ];
  const hasOffers = scene.lines.some(({ id, seller }) => id === 'lowest' || seller !== undefined);
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-1 text-2xs text-muted">
      {entries.map(({ name, mark }) => (
        <span key={name} className="inline-flex items-center gap-1.5">
          <span aria-hidden className={`h-3 w-5 rounded-[2px] border border-line ${mark}`} />
          {name}
        </span>
      ))}
      <span>Dense points: average, with a band from lowest to highest</span>
      {hasOffers ? <span>Offers include shipping</span> : null}
      {scene.holders.length > 0 ? <span>Strip below the price: buybox holder</span> : null}
      <span className="max-sm:hidden">
        Drag to zoom · Shift and drag to move · Double-click to go back
      </span>
      <span className="sm:hidden">Slide to read values · Pinch to zoom</span>
    </div>
  );
}
