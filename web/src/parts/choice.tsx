interface Props<T extends string> {
  label: string;
  value: T;
  options: { value: T; text: string }[];
  change: (value: T) => void;
}

// A few alternatives side by side: radio buttons that look like one control.
export function Choice<T extends string>({ label, value, options, change }: Props<T>) {
  return (
    <fieldset class="choice">
      <legend class="hidden">{label}</legend>
      {options.map((option) => (
        <label key={option.value} class={option.value === value ? 'on' : ''}>
          <input type="radio" name={label} checked={option.value === value} onChange={() => change(option.value)} />
          {option.text}
        </label>
      ))}
    </fieldset>
  );
}
