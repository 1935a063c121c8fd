// The name of the product with its mark.
export function Wordmark() {
  return (
    <span className="inline-flex items-center gap-2">
      <svg aria-hidden="true" viewBox="0 0 20 20" className="size-5">
        <rect width="20" height="20" rx="5" className="fill-accent" />
        <circle cx="10" cy="10" r="5" fill="none" className="stroke-on-accent" strokeWidth="1.6" />
        <circle cx="10" cy="10" r="1.8" className="fill-on-accent" />
      </svg>
      <span className="text-base font-semibold tracking-tight text-ink">Oversight</span>
    </span>
  );
}
