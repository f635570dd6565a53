import { Anchor, Box } from '@mantine/core';
import type { TFunction } from 'i18next';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ResponseBody } from '../api/client.js';
import type { useApi } from '../api/queries.js';
import { lazyDialog } from '../ui/lazy.js';
import { type Column, DataTable } from '../ui/lists/data-table.js';
import type { ListSearch } from '../ui/lists/list-search.js';
import { Time } from '../ui/time.js';
import { Actor, Target } from './audit-objects.js';
import { type AuditEntry, changedFields, fieldName } from './changes.js';

const AuditDialog = lazyDialog(async () => (await import('./audit-dialog.js')).AuditDialog, 'entry');

interface AuditTableProps {
  label: string;
  query: ReturnType<typeof useApi<'listAudit'>>;
  entries: readonly AuditEntry[] | undefined;
  pagination: ResponseBody<'listAudit'>['pagination'] | undefined;
  search: ListSearch;
  onSearch(change: ListSearch, replace?: boolean): void;
  filtered?: boolean;
  onClearFilters?(): void;
  /** Column to leave out, if all entries have the same object. */
  without?: 'target';
}

export function AuditTable({ entries, without, ...list }: AuditTableProps) {
  const { t } = useTranslation();
  const [opened, setOpened] = useState<AuditEntry>();
  const columns = useMemo(() => columnsOf(t, setOpened).filter(({ id }) => id !== without), [t, without]);
  return (
    <>
      <DataTable {...list} columns={columns} rows={entries} rowKey={({ id }) => id} />
      <AuditDialog entry={opened} onClose={() => setOpened(undefined)} />
    </>
  );
}

function columnsOf(t: TFunction, open: (entry: AuditEntry) => void): Column<AuditEntry>[] {
  return [
    { id: 'at', header: t('audit.column.at'), fixedOrder: 'descending', render: ({ at }) => <Time at={at} /> },
    { id: 'action', header: t('audit.column.action'), render: ({ action }) => t(`audit.action.${action}`) },
    { id: 'actor', header: t('audit.column.actor'), render: (entry) => <Actor entry={entry} /> },
    { id: 'target', header: t('audit.column.target'), render: (entry) => <Target entry={entry} /> },
    { id: 'changes', header: t('audit.column.changes'), render: (entry) => <Changes entry={entry} onOpen={open} /> },
    {
      id: 'origin',
      header: t('audit.column.origin'),
      optional: true,
      render: ({ origin }) => t(`audit.origin.${origin}`),
    },
    { id: 'ip', header: t('audit.column.ip'), optional: true, render: ({ ip }) => <bdi>{ip ?? '–'}</bdi> },
  ];
}

const maxFieldsNamed = 3;

function Changes({ entry, onOpen }: { entry: AuditEntry; onOpen(entry: AuditEntry): void }) {
  const { t } = useTranslation();
  const fields = changedFields(entry);
  const names = fields.slice(0, maxFieldsNamed).map((field) => fieldName(field, t));
  const text =
    fields.length > maxFieldsNamed
      ? [...names, t('audit.moreFields', { count: fields.length - maxFieldsNamed })]
      : names;
  return (
    // Keeps room for a few words in a line of a narrow table.
    <Box miw="10rem">
      <Anchor
        component="button"
        type="button"
        size="sm"
        ta="start"
        data-opens-row
        onClick={() => onOpen(entry)}
        aria-label={t('audit.showChanges', { action: t(`audit.action.${entry.action}`), fields: text.join(', ') })}
      >
        {text.length === 0 ? t('audit.show') : text.join(', ')}
      </Anchor>
    </Box>
  );
}
