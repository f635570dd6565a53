import icon from './icon.svg';

/** Logo of the program. No alternative text, because the name is beside it. */
export function Logo({ size = 28 }: { size?: number }) {
  return <img src={icon} width={size} height={size} alt="" />;
}
