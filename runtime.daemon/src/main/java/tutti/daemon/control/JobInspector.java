package tutti.daemon.control;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import tutti.daemon.protocol.Message;
import tutti.runtime.inspect.RankState;

/**
 * Asks the parts of a job what their ranks do, and collects the answers. Safe for any thread; the lock of this object guards all state, and nothing
 * waits
 * under it.
 */
final class JobInspector {
    private final Map<Long, Question> open = new HashMap<>();
    private long asked;

    /** A question, with the parts that have not answered. */
    private record Question(Set<Integer> missing, List<RankState> states, CompletableFuture<List<RankState>> answer) {}

    /**
     * Asks parts.
     *
     * @param waitedMillis parts of which no rank has been waiting for that long return nothing
     * @return completes with the states of all ranks in their order when all parts have answered; who gives up earlier may {@linkplain #partial take}
     *         what there is
     */
    CompletableFuture<List<RankState>> ask(final List<JobPartProxy> parts, final long waitedMillis) {
        final List<JobPartProxy> running = parts.stream().filter(p -> !p.isEnded()).toList();
        final Set<Integer> missing = new TreeSet<>();
        running.forEach(p -> missing.add(p.node()));
        final CompletableFuture<List<RankState>> answer = new CompletableFuture<>();
        final long id;
        synchronized (this) {
            id = asked++;
            open.put(id, new Question(missing, new ArrayList<>(), answer));
        }
        if (missing.isEmpty()) {
            answer.complete(List.of());
        }
        running.forEach(p -> p.inspect(new Message.Inspect(id, waitedMillis)));
        return answer;
    }

    /** Accepts the answer of the part on a node. */
    void answered(final int node, final Message.Inspected answer) {
        final Question question;
        synchronized (this) {
            question = open.get(answer.id());
            if (question == null || !question.missing().remove(node)) {
                return;
            }
            question.states().addAll(answer.states());
            if (!question.missing().isEmpty()) {
                return;
            }
            open.remove(answer.id());
        }
        question.answer().complete(sorted(question));
    }

    /** Ends a question, and returns the states that have arrived. */
    synchronized List<RankState> partial(final CompletableFuture<List<RankState>> answer) {
        for (final Map.Entry<Long, Question> q : open.entrySet()) {
            if (q.getValue().answer() == answer) {
                open.remove(q.getKey());
                return sorted(q.getValue());
            }
        }
        return answer.getNow(List.of());
    }

    private static List<RankState> sorted(final Question question) {
        return question.states().stream().sorted(Comparator.comparingInt(RankState::rank)).toList();
    }
}
