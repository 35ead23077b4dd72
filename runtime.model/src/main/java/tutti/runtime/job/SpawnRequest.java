package tutti.runtime.job;

import java.util.List;
import java.util.Map;

/**
 * A request of a rank to start a job.
 *
 * @param commands the programs of the job's ranks, in the order of the ranks
 * @param parent   name of the port to which the ranks connect in Init
 */
public record SpawnRequest(List<Command> commands, String parent) {

    /**
     * A program for some ranks.
     *
     * @param program a class of the requesting job, a jar or a source file
     * @param args    its arguments
     * @param ranks   largest number of ranks
     * @param info    hints: {@code host}, {@code wdir}, {@code path}, {@code soft}
     */
    public record Command(String program, List<String> args, int ranks, Map<String, String> info) {
        /** Copies the collections. */
        public Command {
            args = List.copyOf(args);
            info = Map.copyOf(info);
        }
    }

    /** Copies the list. */
    public SpawnRequest {
        commands = List.copyOf(commands);
    }
}
