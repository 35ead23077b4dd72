package tutti.runtime.process.owner;

import java.util.List;

/**
 * A class whose static methods stand in for public methods of shared classes: in a job whose calls are intercepted, the program's calls of these
 * methods lead to it. Every rank defines the class for itself.
 *
 * @param className binary name of the class, in a shared package
 * @param bytes     the class file; not to be changed
 * @param calls     the methods that it stands in for
 */
public record CallBridge(String className, byte[] bytes, List<BridgedCall> calls) {

    /** Copies the list. */
    public CallBridge {
        calls = List.copyOf(calls);
    }

    /**
     * A method that the class stands in for.
     *
     * @param owner      internal name of the class by which a program calls the method
     * @param name       its name
     * @param descriptor its descriptor
     * @param isStatic   whether it is static; otherwise the object is the first parameter of the method that stands in for it
     * @param method     name of that method
     * @param stands     descriptor of that method, whose other parameters and result are the same
     */
    public record BridgedCall(String owner, String name, String descriptor, boolean isStatic, String method, String stands) {}
}
