package tutti.coll.plan;

import java.util.Arrays;

/**
 * The tasks that must be complete before a task, each once: those that follow from memory, fences and posts come first, then others that the
 * algorithm named. A {@link TaskSink} reads them while it accepts the task; afterwards the object is used for the next one. For one thread.
 */
public final class Predecessors {
    private int[] tasks = new int[8];
    private int count;
    private int implied;
    /** By task: the successor for which it was added last, plus 1. */
    private int[] addedFor = new int[16];
    private int successor;

    Predecessors() {
        // for the recorder alone
    }

    /** Returns the number of tasks. */
    public int count() {
        return count;
    }

    /** Returns the number of tasks that the task follows whatever the algorithm named. */
    public int implied() {
        return implied;
    }

    /** Returns the id of task {@code i}, from 0. */
    public int task(final int i) {
        return tasks[i];
    }

    /** Returns the ids of all tasks as an array. */
    public int[] toArray() {
        return Arrays.copyOf(tasks, count);
    }

    /** Removes all, for a task of that id. */
    void clear(final int task) {
        count = 0;
        implied = 0;
        successor = task + 1;
        if (task >= addedFor.length) {
            addedFor = Arrays.copyOf(addedFor, 2 * task);
        }
    }

    /** Adds a task that does not depend on what the algorithm named. All of them are added before others. */
    void imply(final int task) {
        add(task);
        implied = count;
    }

    void add(final int task) {
        if (addedFor[task] == successor) {
            return;
        }
        addedFor[task] = successor;
        if (count == tasks.length) {
            tasks = Arrays.copyOf(tasks, 2 * count);
        }
        tasks[count++] = task;
    }
}
