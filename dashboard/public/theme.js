// Sets the theme before the first paint, so that a dark page does not flash white.
(() => {
  let choice = null;
  try {
    choice = localStorage.getItem('theme');
  } catch {
    // Storage may be blocked; the system's theme is then used.
  }
  const system = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
  const theme = choice === 'light' || choice === 'dark' ? choice : system;
  document.documentElement.dataset.theme = theme;
})();
