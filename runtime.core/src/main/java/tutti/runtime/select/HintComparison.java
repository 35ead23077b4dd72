package tutti.runtime.select;

import java.util.Arrays;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import tutti.runtime.datatype.Op;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;

/** The comparison of the hints that the ranks of a communicator give, which must be equal where the selection depends on them. */
public final class HintComparison {
    private static final int TEXT_LONGS = 25;

    private HintComparison() {}

    /**
     * Reads the hints of this rank and compares them with those of the others. All ranks call it, and all fail if one does. One exchange where they
     * are equal.
     *
     * @param combine combines values of all ranks in place
     * @throws MpiFailure of class INFO_KEY or INFO_VALUE
     */
    public static CommHints agree(final Map<String, String> hints, final SelectionContext context, final BiConsumer<long[], Op> combine) {
        CommHints read = CommHints.NONE;
        MpiFailure failure = null;
        try {
            read = CommHints.of(hints);
        } catch (final MpiFailure e) {
            failure = e;
        }
        final Map<String, String> own = CommHints.ownOf(hints);
        final long hash = new AgreementHash().add(own.toString()).value();
        final long[] votes = {hash, ~hash, failure == null ? 1 : 0};
        combine.accept(votes, Op.MIN);
        if (votes[0] != ~votes[1]) {
            throw differing(own, hash, context, combine);
        }
        if (votes[2] == 0) {
            // Cause: ranks gave different or wrong hints, and no hint was changed. Remedy: correct the hint on that rank.
            throw failure != null ? failure
                : new MpiFailure(ErrorClass.INFO_VALUE, "hints on " + context.shape().name() + " are invalid on another rank, whose error says why");
        }
        return read;
    }

    private static MpiFailure differing(final Map<String, String> own, final long hash, final SelectionContext context,
        final BiConsumer<long[], Op> combine) {
        final long[] hashes = new long[context.totalSize()];
        hashes[context.index()] = hash;
        combine.accept(hashes, Op.BOR);
        int other = 1;
        while (hashes[other] == hashes[0]) {
            other++;
        }
        final long[] texts = new long[2 * TEXT_LONGS];
        if (context.index() == 0 || context.index() == other) {
            final String text = own.entrySet().stream().map(e -> e.getKey() + "=" + e.getValue()).collect(Collectors.joining(" "));
            PackedText.write(text.isEmpty() ? "none" : text, texts, context.index() == 0 ? 0 : TEXT_LONGS, TEXT_LONGS);
        }
        combine.accept(texts, Op.BOR);
        // Cause: ranks gave different hints `tutti_...`.
        return new MpiFailure(ErrorClass.INFO_VALUE, "hints " + CommHints.OWN + "... on " + context.shape().name() + " differ: " + context.nameOf(0)
            + " has " + PackedText.read(texts, 0, TEXT_LONGS) + "; " + context.nameOf(other) + " has "
            + PackedText.read(Arrays.copyOfRange(texts, TEXT_LONGS, texts.length), 0, TEXT_LONGS) + "; give the same on all ranks");
    }
}
