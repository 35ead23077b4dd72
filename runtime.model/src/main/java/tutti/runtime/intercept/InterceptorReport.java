package tutti.runtime.intercept;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;
import tutti.intercept.InterceptedRank;

/**
 * Report that an interceptor has made of a job.
 *
 * @param module    name of the interceptor
 * @param mediaType media type of the content
 * @param content   the report; whoever creates the record gives up the array
 */
public record InterceptorReport(String module, String mediaType, byte[] content) {
    private static final Pattern MODULE = Pattern.compile("[A-Za-z0-9._-]{1,200}");
    private static final Pattern TYPE = Pattern.compile("[a-z]{1,20}/[a-z0-9.+-]{1,80}");

    /** Checks the media type and the length. */
    public InterceptorReport {
        if (!TYPE.matcher(mediaType).matches()) {
            throw new IllegalArgumentException("not a media type: mediaType=" + mediaType + ", expected one such as application/json");
        }
        if (content.length > InterceptedRank.MAX_REPORT) {
            throw new IllegalArgumentException("report too long: bytes=" + content.length + ", max=" + InterceptedRank.MAX_REPORT);
        }
    }

    /**
     * Piece of a report; the pieces of a report are sent in their order.
     *
     * @param module    name of the interceptor
     * @param mediaType media type of the report
     * @param isLast    whether the report is complete with it
     * @param bytes     the bytes; whoever creates a piece gives up the array
     */
    public record Piece(String module, String mediaType, boolean isLast, byte[] bytes) {
        /** Checks the texts, of which the live page makes headers. */
        public Piece {
            Objects.requireNonNull(bytes, "bytes");
            if (!MODULE.matcher(module).matches() || !TYPE.matcher(mediaType).matches()) {
                throw new IllegalArgumentException("not a report: module=" + module + ", mediaType=" + mediaType + ", bytes=" + bytes.length);
            }
        }
    }

    /** Returns the pieces of the report, at least one. */
    public List<Piece> pieces(final int mostBytes) {
        final List<Piece> pieces = new ArrayList<>();
        int at = 0;
        do {
            final int end = Math.min(content.length, at + mostBytes);
            pieces.add(new Piece(module, mediaType, end == content.length, Arrays.copyOfRange(content, at, end)));
            at = end;
        } while (at < content.length);
        return pieces;
    }
}
