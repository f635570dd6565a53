import { Anchor, Group, List, Stack, Text } from '@mantine/core';
import { IconFileDownload } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type ResponseBody, urlOf } from '../api/client.js';
import { useApi } from '../api/queries.js';
import { formatBytes, formatDate } from '../i18n/format.js';
import { Pager, usePages } from '../ui/lists/pager.js';
import { Loaded, Loading } from '../ui/states.js';

export function MaterialList({ courseId }: { courseId: string }) {
  const { t } = useTranslation();
  const [paging, setPaging] = useState({ page: 1, limit: 20 });
  const query = useApi('listMaterials', { path: { id: courseId }, query: paging }, { keepPrevious: true });
  const { pages, isPastEnd } = usePages({
    query,
    pagination: query.data?.pagination,
    isEmpty: query.data?.files.length === 0,
    search: paging,
    onPastEnd: (page) => setPaging({ ...paging, page }),
  });

  function content({ files }: ResponseBody<'listMaterials'>) {
    if (isPastEnd) return <Loading lines={2} />;
    if (files.length === 0) return <Text c="dimmed">{t('courses.materials.none')}</Text>;
    return (
      <List listStyleType="none" spacing="xs">
        {files.map(({ id, name, bytes, createdAt }) => (
          <List.Item key={id}>
            <Group gap="xs" wrap="nowrap" align="flex-start">
              <IconFileDownload size={20} stroke={1.5} aria-hidden className="fixed-size" />
              <div>
                <Anchor href={urlOf('openMaterial', { path: { id: courseId, fileId: id } })} download={name}>
                  {name}
                </Anchor>
                <Text size="sm" c="dimmed">
                  {t('courses.materials.facts', { size: formatBytes(bytes), date: formatDate(createdAt) })}
                </Text>
              </div>
            </Group>
          </List.Item>
        ))}
      </List>
    );
  }

  return (
    <Stack gap="xs">
      <Loaded query={query} lines={2}>
        {content}
      </Loaded>
      {pages && pages.totalPages > 1 && (
        <Pager pagination={pages} onChange={(change) => setPaging({ ...paging, page: 1, ...change })} />
      )}
    </Stack>
  );
}
