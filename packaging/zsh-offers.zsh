# Succeeds if zsh completes a command line to the expected one when Tab is pressed.
# Usage: zsh -f zsh-offers.zsh FUNCTIONS BIN LINE EXPECTED
# Completion works only in an interactive shell on a terminal, so a shell is started on a new terminal.
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PATH=$2:\$PATH; fpath=($1 \$fpath); autoload -Uz compinit; compinit -u -D; echo rea''dy"
while zpty -r shell line; do
  if [[ $line == *ready* ]]; then break; fi
done
zpty -w -n shell "$3"$'\t'
seen=""
repeat 100; do
  while zpty -r -t shell part; do seen+=$part; done
  if [[ $seen == *"$4"* ]]; then zpty -d shell; exit 0; fi
  sleep 0.1
done
zpty -d shell
print -r -- "zsh shows: $seen" >&2
exit 1
