package school;

import java.util.List;

public class KeywordAsIdentifier {

    record Pupil(String name, int grade) { }

    static long inGrade(List<Pupil> pupils, int grade) {
        long count = 0;
        for (Pupil pupil : pupils) {
            int class = pupil.grade();
            if (class == grade) {
                count++;
            }
        }
        return count;
    }

    public static void main(String[] args) {
        List<Pupil> pupils = List.of(new Pupil("Mia", 3), new Pupil("Noah", 4));
        System.out.println(inGrade(pupils, 3));
    }
}
