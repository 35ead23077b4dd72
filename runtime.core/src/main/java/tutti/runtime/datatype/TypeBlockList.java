package tutti.runtime.datatype;

import java.util.ArrayList;
import java.util.List;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;

/**
 * Collects blocks in the order of packing, and joins those that touch or continue at the same distance.
 *
 * <p>So a column of a matrix is one {@link TypeBlock}, however many rows there are. Not thread-safe. Sums beyond 63 bits throw {@link
 * ArithmeticException}.
 */
final class TypeBlockList {
    /** Maximum number of entries, about 200 MiB; a regular type needs a handful. */
    private static final int MAX_BLOCKS = 1 << 22;

    private final List<TypeBlock> blocks = new ArrayList<>();

    TypeBlock[] toArray() {
        return blocks.toArray(TypeBlock[]::new);
    }

    /** Appends {@code copies} copies of all the given blocks, {@code step} bytes from copy to copy. */
    void addCopies(final TypeBlock[] element, final long displacement, final long copies, final long step) {
        if (element.length == 0 || copies == 0) {
            return;
        }
        final TypeBlock only = element.length == 1 ? element[0] : null;
        if (only != null && only.repeat() == 1) {
            add(TypeBlock.of(Math.addExact(only.offset(), displacement), only.length(), step, copies, only.kind()));
        } else if (only != null && step == only.stride() * only.repeat()) {
            final long total = Math.multiplyExact(only.repeat(), copies);
            add(TypeBlock.of(Math.addExact(only.offset(), displacement), only.length(), only.stride(), total, only.kind()));
        } else {
            for (long i = 0; i < copies; i++) {
                for (final TypeBlock block : element) {
                    add(block.shifted(displacement + i * step));
                }
            }
        }
    }

    /** Appends strided blocks. */
    void add(final TypeBlock block) {
        final TypeBlock last = blocks.isEmpty() ? null : blocks.getLast();
        if (last == null || last.kind() != block.kind()) {
            push(block);
        } else if (last.block(last.repeat() - 1) + last.length() == block.offset()) {
            join(last, block);
        } else if (continues(last, block)) {
            final long stride = last.repeat() > 1 ? last.stride() : block.offset() - last.offset();
            replaceLast(new TypeBlock(last.offset(), last.length(), stride, last.repeat() + block.repeat(), last.kind()));
        } else {
            push(block);
        }
    }

    private static boolean continues(final TypeBlock last, final TypeBlock block) {
        if (last.length() != block.length()) {
            return false;
        }
        final long stride = last.repeat() > 1 ? last.stride() : block.offset() - last.offset();
        return block.offset() == last.block(last.repeat() - 1) + stride && (block.repeat() == 1 || block.stride() == stride);
    }

    /** Joins the last block of {@code last} and the first of {@code block}. */
    private void join(final TypeBlock last, final TypeBlock block) {
        final TypeBlock joined = TypeBlock.of(last.block(last.repeat() - 1), Math.addExact(last.length(), block.length()), 0, 1, last.kind());
        if (last.repeat() == 1) {
            replaceLast(joined);
        } else {
            replaceLast(last.first(last.repeat() - 1));
            push(joined);
        }
        if (block.repeat() > 1) {
            push(block.rest());
        }
    }

    private void replaceLast(final TypeBlock block) {
        blocks.set(blocks.size() - 1, block);
    }

    private void push(final TypeBlock block) {
        if (blocks.size() == MAX_BLOCKS) {
            // Cause: the datatype has too many separate blocks. Remedy: fewer blocks, or `pack`.
            throw new MpiFailure(ErrorClass.TYPE, "type is too irregular: at most " + MAX_BLOCKS + " blocks");
        }
        blocks.add(block);
    }
}
