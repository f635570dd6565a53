import { ActionIcon, Anchor, Button, Group, Paper, Progress, Stack, Text } from '@mantine/core';
import { IconDownload, IconTrash, IconX } from '@tabler/icons-react';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type ResponseBody, SessionEndedError, urlOf } from '../api/client.js';
import { isTransient, useApi, useChange } from '../api/queries.js';
import { formatBytes, formatTime } from '../i18n/format.js';
import { ConfirmDialog } from '../ui/forms/confirm.js';
import { DropZone } from '../ui/forms/drop-zone.js';
import { useLossGuard } from '../ui/forms/unsaved.js';
import { type Column, DataTable } from '../ui/lists/data-table.js';
import { searchNavigation } from '../ui/lists/list-search.js';
import { messageOf } from '../ui/messages.js';
import { notifyDone } from '../ui/notify.js';
import { Empty } from '../ui/states.js';
import { type Upload, useUploads } from './uploads.js';

const route = getRouteApi('/courses/$id');
type Material = ResponseBody<'listMaterials'>['files'][number];

/** Materials of a course for managers, who add, download and delete them. */
export function Materials({ courseId }: { courseId: string }) {
  const { t } = useTranslation();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { page, limit } = search;
  const query = useApi('listMaterials', { path: { id: courseId }, query: { page, limit } }, { keepPrevious: true });
  const { uploads, add, retry, remove, working } = useUploads(courseId);
  const removal = useChange('removeMaterial');
  const [removing, setRemoving] = useState<Material>();
  useLossGuard(working, t('enrollments.materials.leave'));
  const columns = useColumns(courseId, setRemoving);
  return (
    <Stack>
      <DropZone
        multiple
        hint={t('enrollments.materials.dropHint')}
        action={t('enrollments.materials.choose')}
        onFiles={add}
      />
      {uploads.map((one) => (
        <UploadLine key={one.key} upload={one} onRetry={() => retry(one)} onRemove={() => remove(one.key)} />
      ))}
      <DataTable
        label={t('courses.materials.title')}
        columns={columns}
        query={query}
        rows={query.data?.files}
        pagination={query.data?.pagination}
        rowKey={({ id }) => id}
        search={search}
        // Keeps the scroll position, because the list is below the uploads.
        onSearch={(change, replace) =>
          void navigate({ ...searchNavigation<typeof search>(change, replace), resetScroll: false })
        }
        empty={<Empty message={t('courses.materials.none')} />}
      />
      <ConfirmDialog
        opened={removing !== undefined}
        onClose={() => setRemoving(undefined)}
        title={t('enrollments.materials.deleteTitle')}
        action={t('action.delete')}
        destructive
        onConfirm={async () => {
          if (!removing) return;
          await removal.mutateAsync({ path: { id: courseId, fileId: removing.id } });
          notifyDone(t('enrollments.materials.deleted', { name: removing.name }));
        }}
      >
        {t('enrollments.materials.deleteHint', { name: removing?.name ?? '' })}
      </ConfirmDialog>
    </Stack>
  );
}

function useColumns(courseId: string, onRemove: (file: Material) => void): readonly Column<Material>[] {
  const { t } = useTranslation();
  const urlOfFile = (fileId: string) => urlOf('openMaterial', { path: { id: courseId, fileId } });
  return [
    {
      id: 'name',
      header: t('field.name'),
      render: ({ id, name }) => (
        <Anchor inherit href={urlOfFile(id)} download={name}>
          {name}
        </Anchor>
      ),
    },
    { id: 'type', header: t('enrollments.materials.type'), render: ({ contentType }) => contentType },
    {
      id: 'size',
      header: t('enrollments.materials.size'),
      align: 'end',
      noWrap: true,
      render: ({ bytes }) => formatBytes(bytes),
    },
    {
      id: 'createdAt',
      header: t('enrollments.materials.addedAt'),
      fixedOrder: 'descending',
      noWrap: true,
      render: ({ createdAt }) => formatTime(createdAt),
    },
    {
      id: 'actions',
      header: t('courses.field.actions'),
      align: 'end',
      pinned: true,
      render: (file) => (
        <Group gap={4} wrap="nowrap" justify="flex-end">
          <ActionIcon
            component="a"
            href={urlOfFile(file.id)}
            download={file.name}
            variant="subtle"
            color="gray"
            aria-label={t('enrollments.materials.download', { name: file.name })}
          >
            <IconDownload size={18} aria-hidden />
          </ActionIcon>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={t('enrollments.materials.delete', { name: file.name })}
            onClick={() => onRemove(file)}
          >
            <IconTrash size={18} aria-hidden />
          </ActionIcon>
        </Group>
      ),
    },
  ];
}

interface UploadLineProps {
  upload: Upload;
  onRetry(): void;
  onRemove(): void;
}

function UploadLine({ upload: { file, share, failure }, onRetry, onRemove }: UploadLineProps) {
  const { t } = useTranslation();
  const canRetry = isTransient(failure) || failure instanceof SessionEndedError;
  const { name } = file;
  return (
    <Paper withBorder px="md" py="xs">
      <Group wrap="nowrap">
        <Stack gap={4} flex={1} miw={0}>
          <Text size="sm" className="running-text">
            {t('enrollments.materials.upload', { name, size: formatBytes(file.size) })}
          </Text>
          {failure === undefined ? (
            <Progress.Root>
              <Progress.Section value={share * 100} aria-label={t('enrollments.materials.uploading', { name })} />
            </Progress.Root>
          ) : (
            <Text size="sm" c="var(--mantine-color-error)" role="alert">
              {messageOf(failure, t)}
            </Text>
          )}
        </Stack>
        {canRetry && (
          <Button variant="default" size="compact-sm" aria-label={`${t('action.retry')}: ${name}`} onClick={onRetry}>
            {t('action.retry')}
          </Button>
        )}
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={t('enrollments.materials.stop', { name })}
          onClick={onRemove}
        >
          <IconX size={18} aria-hidden />
        </ActionIcon>
      </Group>
    </Paper>
  );
}
