// What changes the table itself: density, columns, saved views, and the download of its rows.
import { useRouter } from '@tanstack/react-router';
import { Bookmark, Columns3, Download, Trash2 } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { paths } from '../app/paths.ts';
import { Button, IconButton } from '../design/button.tsx';
import { Dialog } from '../design/dialog.tsx';
import { TextField } from '../design/field.tsx';
import { Menu, type MenuEntry } from '../design/menu.tsx';
import {
  COLUMN_IDS,
  COLUMN_NAMES,
  changeTableSettings,
  useTableSettings,
  withView,
} from './table-settings.ts';
import { trackedCsv } from './tracked-csv.ts';
import type { Tracked } from './tracked-product.ts';

export function TableMenu({ shown }: { shown: readonly Tracked[] }) {
  return (
    <div className="ml-auto flex items-center gap-1">
      <ViewsMenu />
      <LayoutMenu />
      <IconButton
        size="sm"
        label="Download the shown products as CSV"
        icon={<Download aria-hidden className="size-4" />}
        onClick={() => download(shown)}
      />
    </div>
  );
}

function LayoutMenu() {
  const { hidden, density } = useTableSettings();
  const toggle = (id: (typeof COLUMN_IDS)[number]) =>
    changeTableSettings({
      hidden: hidden.includes(id) ? hidden.filter((one) => one !== id) : [...hidden, id],
    });
  return (
    <Menu
      trigger={
        <IconButton
          size="sm"
          label="Columns and density"
          icon={<Columns3 aria-hidden className="size-4" />}
        />
      }
      entries={[
        { heading: 'Density' },
        {
          label: 'Comfortable',
          checked: density === 'comfortable',
          onSelect: () => changeTableSettings({ density: 'comfortable' }),
        },
        {
          label: 'Compact',
          checked: density === 'compact',
          onSelect: () => changeTableSettings({ density: 'compact' }),
        },
        'separator',
        { heading: 'Columns' },
        ...COLUMN_IDS.map((id) => ({
          label: COLUMN_NAMES[id],
          checked: !hidden.includes(id),
          onSelect: () => toggle(id),
        })),
      ]}
    />
  );
}

function ViewsMenu() {
  const router = useRouter();
  const { views } = useTableSettings();
  const [isNaming, setNaming] = useState(false);
  const saved: MenuEntry[] = views.map(({ name, search }) => ({
    label: name,
    icon: <Bookmark aria-hidden />,
    onSelect: () => router.history.push(`${paths.tracking()}${search}`),
  }));
  return (
    <>
      <Menu
        trigger={
          <IconButton
            size="sm"
            label="Saved views"
            icon={<Bookmark aria-hidden className="size-4" />}
          />
        }
        entries={[
          ...(saved.length === 0 ? [{ heading: 'No saved views' }] : saved),
          'separator',
          { label: 'Save this view…', onSelect: () => setNaming(true) },
          ...(saved.length === 0
            ? []
            : [
                {
                  label: 'Delete all saved views',
                  icon: <Trash2 aria-hidden />,
                  danger: true,
                  onSelect: () => changeTableSettings({ views: [] }),
                },
              ]),
        ]}
      />
      {isNaming ? <NameView onClose={() => setNaming(false)} /> : null}
    </>
  );
}

function NameView({ onClose }: { onClose: () => void }) {
  const { views } = useTableSettings();
  const [name, setName] = useState('');
  const save = (event: FormEvent) => {
    event.preventDefault();
    if (name.trim() === '') return;
    const view = { name: name.trim().slice(0, 60), search: location.search };
    changeTableSettings({ views: withView(views, view) });
    onClose();
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title="Save this view"
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" type="submit" form="name-view">
            Save view
          </Button>
        </>
      }
    >
      <form id="name-view" onSubmit={save}>
        <TextField
          label="Name"
          value={name}
          onChange={setName}
          hint="Search, filters and sort order are saved in this browser."
          autoFocus
        />
      </form>
    </Dialog>
  );
}

function download(rows: readonly Tracked[]): void {
  const url = URL.createObjectURL(new Blob([trackedCsv(rows)], { type: 'text/csv' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = 'oversight-tracked.csv';
  link.click();
  URL.revokeObjectURL(url);
}
