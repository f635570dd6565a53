import { useTranslation } from 'react-i18next';
import { TextLink } from '../ui/links.js';
import type { AuditEntry } from './changes.js';

/** Who made a change. */
export function Actor({ entry: { actorId, actorName, osUser, origin } }: { entry: AuditEntry }) {
  const { t } = useTranslation();
  if (origin === 'program') return t('audit.program');
  if (actorId === null) return osUser === null ? t('audit.operator') : `${t('audit.operator')} (${osUser})`;
  if (actorName === null) return <DeletedObject search={{ actor: actorId }} />;
  return (
    <TextLink to="/people/$id" params={{ id: actorId }}>
      {actorName}
    </TextLink>
  );
}

/** What was changed: linked to its page when it has one. */
export function Target({ entry }: { entry: AuditEntry }) {
  const { targetType, targetId, targetName } = entry;
  if (targetId === null) return '–';
  if (targetType === 'address') return <bdi>{targetId}</bdi>;
  if (targetName === null)
    return <DeletedObject search={{ targetType, target: targetId }} name={recordedName(entry)} />;
  return <ObjectLink kind={targetType} id={targetId} name={targetName} />;
}

interface ObjectLinkProps {
  kind: 'user' | 'course' | 'import' | 'enrollment' | 'mail';
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
    case 'mail':
      return name;
  }
}

interface DeletedObjectProps {
  /** Finds the other entries of it. */
  search: { actor: string } | { targetType: AuditEntry['targetType']; target: string };
  /** Its name, where the entry has recorded one. */
  name?: string | undefined;
}

/** What was deleted has no page of its own, but its history. */
function DeletedObject({ search, name }: DeletedObjectProps) {
  const { t } = useTranslation();
  return (
    <TextLink to="/audit" search={search}>
      {name === undefined ? t('audit.gone') : t('audit.goneOf', { name })}
    </TextLink>
  );
}

/** The name that a deleted course or account had, as the entry has recorded it. */
function recordedName({ before, after }: AuditEntry): string | undefined {
  const { title, firstName, lastName, email } = { ...after, ...before };
  if (typeof title === 'string') return title;
  return typeof email === 'string' && typeof firstName === 'string'
    ? `${firstName} ${String(lastName)} (${email})`
    : undefined;
}
