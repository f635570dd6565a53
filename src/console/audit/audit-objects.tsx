import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { TextLink } from '../ui/links.js';
import type { AuditEntry } from './changes.js';

/** Who made a change. */
export function Actor({ entry: { actorId, actorName, osUser } }: { entry: AuditEntry }) {
  const { t } = useTranslation();
  if (actorId === null) return osUser === null ? t('audit.operator') : `${t('audit.operator')} (${osUser})`;
  if (actorName === null) return <Gone id={actorId} />;
  return (
    <TextLink to="/people/$id" params={{ id: actorId }}>
      {actorName}
    </TextLink>
  );
}

/** What was changed: linked to its page when it has one. */
export function Target({ entry: { targetType, targetId, targetName } }: { entry: AuditEntry }) {
  if (targetId === null) return '–';
  if (targetType === 'address') return <bdi>{targetId}</bdi>;
  if (targetName === null) return <Gone id={targetId} />;
  return <ObjectLink kind={targetType} id={targetId} name={targetName} />;
}

interface ObjectLinkProps {
  kind: 'user' | 'course' | 'import' | 'enrollment';
  id: string;
  name: string;
}

export function ObjectLink({ kind, id, name }: ObjectLinkProps) {
  switch (kind) {
    case 'user':
      return (
        <TextLink to="/people/$id" params={{ id }}>
          {name}
        </TextLink>
      );
    case 'course':
      return (
        <TextLink to="/courses/$id" params={{ id }}>
          {name}
        </TextLink>
      );
    case 'import':
      return (
        <TextLink to="/imports/$id" params={{ id }}>
          {name}
        </TextLink>
      );
    case 'enrollment':
      return name;
  }
}

function Gone({ id }: { id: string }) {
  const { t } = useTranslation();
  return (
    <Text span size="sm" c="dimmed" title={id}>
      {t('audit.gone')}
    </Text>
  );
}
