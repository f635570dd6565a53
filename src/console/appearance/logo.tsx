import icon from './icon.svg';

/** Logo of the program. Has no alternative text, because the name of the program follows the logo. */
export function Logo({ size = 28 }: { size?: number }) {
  return <img src={icon} width={size} height={size} alt="" />;
}
