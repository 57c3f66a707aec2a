# What the operations on files in a sandbox have in common. It is POSIX sh, with the tools that coreutils, findutils and busybox
# have: base64, chmod, chown, dd, find, grep, head, mkdir, mv, readlink, rm, stat, tr.
#
# A path of the tree begins with / and has no . or .. in it. The last line of the output is the word ok, or the reason of a
# failure and a text about it.
LC_ALL=C
export LC_ALL
unset CDPATH
IFS='
'
set -f

# end REASON [TEXT] ends the operation.
end() {
	[ -z "${2-}" ] || set -- "$1" "$(printf %s "$2" | head -c 300 | tr '\n' ' ')"
	printf '\n%s %s' "$1" "${2-}"
	exit
}

# inside PATH: is the path below the root? It has no links in it.
inside() {
	case $1/ in
	"$root"/*) ;;
	*) return 1 ;;
	esac
}

# enter NAME [make] sets p to the place of a path of the tree. Links in the directories above it are followed or refused. With
# make, directories may be missing.
enter() {
	p=$root rest=${1#/}
	while :; do
		case $rest in
		*/*) ;;
		*) break ;;
		esac
		c=$p/${rest%%/*}
		rest=${rest#*/}
		if [ -h "$c" ]; then
			[ "$links" = refuse ] && end linked
			[ -e "$c" ] || end notfound # readlink of busybox resolves links to nothing wrongly
			c=$(readlink -f "$c")
			[ -n "$c" ] || end notfound
			inside "$c" || end outside
			[ "$c" = / ] && c=
		fi
		if [ -e "$c/." ]; then
			[ -x "$c/." ] || end denied
		elif [ -d "$c" ]; then
			end denied
		elif [ -e "$c" ]; then
			end notdir
		elif [ -z "${2-}" ]; then
			end notfound
		fi
		p=$c
	done
	p=$p/$rest
}

# follow NAME sets p to the place of a file or directory that exists.
follow() {
	enter "$1"
	if [ -h "$p" ]; then
		[ "$links" = refuse ] && end linked
		[ -e "$p" ] || end notfound
		p=$(readlink -f "$p")
		[ -n "$p" ] || end notfound
		inside "$p" || end outside
	fi
	[ -e "$p" ] || end notfound
}

# begin ROOT LINKS BYTES finds the root. links is inside or refuse; a list has at most these bytes.
begin() {
	links=$2 most=$3
	root=$(cd -P "$1" && pwd -P) || end root
	[ "$root" = / ] && root=
}

do_stat() {
	follow "$1"
	stat -c '%f %s %Y .' "$p" || end failed 'stat failed'
	end ok
}

# do_read NAME SKIP COUNT reads a part of a file, in blocks of 65,536 bytes.
do_read() {
	follow "$1"
	[ -d "$p" ] && end directory
	[ -f "$p" ] || end irregular
	[ -r "$p" ] || end denied
	stat -c '%f %s %Y .' "$p" || end failed 'stat failed'
	dd if="$p" bs=65536 skip="$2" count="$3" || end failed 'dd failed'
	end ok
}

# goto NAME enters a directory that must be readable.
goto() {
	[ -d "$p" ] || end notdir
	[ -r "$p" ] && cd "$p/" || end denied
}

# do_list NAME MOST lists a directory. Links that lead outside or nowhere are left out.
do_list() {
	follow "$1"
	goto
	{
		find . -mindepth 1 -maxdepth 1 ! -name '*[[:cntrl:]]*' \( -type f -o -type d \) -exec stat -c '%f %s %Y %n' {} +
		[ "$links" = refuse ] || find . -mindepth 1 -maxdepth 1 -type l ! -name '*[[:cntrl:]]*' | while read -r l; do
			[ -e "$l" ] || continue
			q=$(readlink -f "$l")
			if inside "$q" && { [ -f "$q" ] || [ -d "$q" ]; }; then
				printf '%s %s\n' "$(stat -c '%f %s %Y' "$q")" "$l"
			fi
		done
	} | head -n "$2" | head -c "$most"
	end ok
}

# regular finds the regular files below this directory. Names with control characters are left out, and so is what the kernel
# shows as files, which has no end.
regular() {
	[ -n "$root" ] || [ "$p" != / ] || set -- \( -path ./proc -o -path ./sys -o -path ./dev \) -prune -o "$@"
	find . -name '*[[:cntrl:]]*' -prune -o "$@"
}

# top writes the line of the directory itself, and ends the operation if it is a file.
top() {
	follow "$1"
	stat -c '%f %s %Y .' "$p" || end failed 'stat failed'
	[ -d "$p" ] || end ok
	goto
}

do_walk() {
	top "$1"
	regular -type f -exec stat -c '%f %s %Y %n' {} + | head -n "$2" | head -c "$most"
	end ok
}

# do_search NAME MOST SIZE TEXT walks over the files below that size that contain a text.
do_search() {
	top "$1"
	regular -type f -size "-$3c" -exec grep -lF -e "$4" {} + | head -n "$2" | while read -r l; do
		stat -c '%f %s %Y %n' "$l"
	done | head -c "$most"
	end ok
}

# do_write NAME TEMPORARY writes what data writes.
do_write() {
	enter "$1" make
	if [ -h "$p" ]; then
		[ "$links" = refuse ] && end linked
		end link
	fi
	[ -d "$p" ] && end directory
	[ -e "$p" ] && [ ! -f "$p" ] && end irregular
	m=$(mkdir -p "${p%/*}/" 2>&1) || end failed "$m"
	[ -w "${p%/*}/" ] || end denied
	t=${p%/*}/$2
	m=$(
		set -C
		{ data | base64 -d >"$t"; } 2>&1
	) || {
		rm -f "$t"
		end failed "$m"
	}
	if [ -e "$p" ]; then
		chown "$(stat -c %u:%g "$p")" "$t"
		chmod "$(stat -c %a "$p")" "$t"
	fi
	m=$(mv -f "$t" "$p" 2>&1) || {
		rm -f "$t"
		end failed "$m"
	}
	end ok
}

do_remove() {
	enter "$1"
	[ -e "$p" ] || [ -h "$p" ] || end notfound
	m=$(rm -rf "$p" 2>&1) || end failed "$m"
	end ok
}
